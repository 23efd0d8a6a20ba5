// Wrong verdicts about live experiments, and the power of right ones, through the public interface
// in small. `prescope_live_simulations` counts more experiments of the same settings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "support/simulated_settings.h"

namespace prescope::simulation {

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

namespace {

constexpr std::uint32_t kExperiments = 40;

/// A setting in which 5 % of the experiments show a wrong verdict exceeds this with a probability
/// of 0.0001 (binomial distribution).
constexpr std::uint32_t kMostWrong = 8;

/// Four standard deviations of the share of 40 experiments that show a verdict of probability 0.5.
constexpr double kChance = 0.316;

/// Leaves out noise that lasts as long as the experiment: no statistic of its visits can tell such
/// noise from a difference between the arms.
std::vector<Setting> settings_with_an_answer() {
  std::vector<Setting> settings = all_settings();
  std::erase_if(settings, [](const Setting& setting) {
    return setting.name.find("autocorrelation 0.999") != std::string::npos;
  });
  return settings;
}

class SimulatedVerdicts : public ::testing::TestWithParam<Setting> {};

TEST_P(SimulatedVerdicts, HoldTheBar) {
  const Setting& setting = GetParam();
  const std::uint32_t shown = count_shown(setting, kExperiments);
  if (setting.is_power()) {
    EXPECT_GE(shown, (setting.bar - kChance) * kExperiments) << setting.simulates;
  } else {
    EXPECT_LE(shown, kMostWrong) << setting.simulates;
  }
}

std::string test_name(const ::testing::TestParamInfo<Setting>& setting) {
  std::string name = setting.param.name;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0 && c != ' '; });
  std::ranges::replace(name, ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Settings, SimulatedVerdicts,
                         ::testing::ValuesIn(settings_with_an_answer()), test_name);

}  // namespace
}  // namespace prescope::simulation
