// Live verdicts about slices in which nothing differs, looked at while topics come.
#include <gtest/gtest.h>

#include "report/live/live_report.h"
#include "support/difference_ledger.h"
#include "support/null_differences.h"
#include "support/number_of_cases.h"

namespace prescope {
namespace {

constexpr std::uint32_t kTopics = 1500;

/// Ten slices of 28 % down to 2.5 % of the topics, which come in any order.
TopicSlices ten_slices() {
  TopicSlices::Dimension dimension{.name = "part"};
  std::uint32_t next = 0;
  for (const int permille : kSlicePermilles) {
    auto& slice = dimension.slices.emplace_back();
    slice.name = std::to_string(permille);
    for (std::uint32_t i = 0; i < kTopics * permille / 1000; ++i) slice.topics.emplace_back(next++);
  }
  return {.dimensions = {dimension}};
}

/// The slices, by their positions, that are ever called better or worse, looked at after every 25
/// topics.
std::set<std::size_t> ever_stated(
    std::uint64_t seed, const std::function<double(std::uint32_t, std::mt19937_64&)>& of) {
  std::mt19937_64 random(seed);
  DifferenceLedger ledger(kTopics);
  ledger.begin(ten_slices());
  std::vector<std::uint32_t> order(kTopics);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::shuffle(order, random);
  std::set<std::size_t> stated;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ledger.compare(order[i], of(order[i], random));
    if (i % 25 != 24) continue;
    const std::vector<SliceSummary> slices = ledger.summary().pairs[0].slices;
    for (std::size_t s = 0; s < slices.size(); ++s) {
      if (live_direction(slices[s].difference) != 0) stated.insert(s);
    }
  }
  return stated;
}

/// At most 5 in 100 are promised. Chance adds up to 2.8 standard errors.
TEST(FalseSliceVerdicts, AreInFewExperiments) {
  const auto experiments = static_cast<unsigned>(number_of_cases(150));
  const double chance = 2.8 * std::sqrt(5.0 * 95.0 / experiments);
  for (const NullDifference& null :
       {NullDifference(symmetric_difference), NullDifference(lost_citation_difference),
        NullDifference(rare_fall_difference)}) {
    unsigned wrong = 0;
    for (unsigned seed = 1; seed <= experiments; ++seed) {
      const auto of = [&](std::uint32_t, std::mt19937_64& random) { return null(random); };
      wrong += ever_stated(seed, of).empty() ? 0 : 1;
    }
    const double share = 100.0 * wrong / experiments;
    std::cout << "false in " << share << " % of " << experiments << " experiments\n";
    EXPECT_LE(share, 5.0 + chance);
  }
}

/// B gains a third of a deviation everywhere but in the slice of 14 %, where it loses a half.
TEST(FalseSliceVerdicts, ASliceThatTurnsIsFound) {
  const auto experiments = static_cast<unsigned>(number_of_cases(40));
  const std::uint32_t first = kTopics * 480 / 1000, last = kTopics * 620 / 1000;
  unsigned found = 0;
  for (unsigned seed = 1; seed <= experiments; ++seed) {
    const auto of = [&](std::uint32_t topic, std::mt19937_64& random) {
      const bool turns = topic >= first && topic < last;
      return symmetric_difference(random) + (turns ? -0.055 : 0.035);
    };
    found += ever_stated(seed, of).contains(2) ? 1 : 0;
  }
  std::cout << "found in " << found << " of " << experiments << " experiments\n";
  EXPECT_GT(found, experiments / 2);
}

}  // namespace
}  // namespace prescope
