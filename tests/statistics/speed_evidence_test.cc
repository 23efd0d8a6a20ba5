// Which arm is faster: what is known about each visit, and noise that comes from other sources than
// the coin. Simulated shares are those that docs/statistics.md quotes.
#include "statistics/speed_evidence.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "support/number_of_cases.h"

namespace prescope {
namespace {

constexpr double kAlpha = 0.05;

LatencyState state_after(std::uint32_t visits, SpeedEvidence::Bounds of_each) {
  SpeedEvidence evidence;
  for (std::uint32_t i = 0; i < visits; ++i) evidence.add(of_each);
  return evidence.state(kAlpha);
}

TEST(SpeedEvidence, NeedsVisitsThatAreKnown) {
  EXPECT_EQ(state_after(511, {0.3, 0.3}), LatencyState::kCollecting);
  EXPECT_EQ(state_after(512, {0.3, 0.3}), LatencyState::kFaster);
  EXPECT_EQ(state_after(512, {-0.3, -0.3}), LatencyState::kFaster);
  EXPECT_EQ(state_after(512, {0.0, 0.0}), LatencyState::kNoVerdict);
  EXPECT_EQ(state_after(5000, {-0.1, 0.3}), LatencyState::kOpen);
  EXPECT_EQ(state_after(512, {}), LatencyState::kOpen);
}

TEST(SpeedEvidence, LimitsEachVisitToAFactorOf2) {
  SpeedEvidence evidence;
  evidence.add({.least = -9.0, .most = 0.5});
  evidence.add({.least = 0.25, .most = 9.0});
  EXPECT_EQ(evidence.visits(), 2U);
  EXPECT_DOUBLE_EQ(evidence.mean().least, (0.25 - std::log(2.0)) / 2.0);
  EXPECT_DOUBLE_EQ(evidence.mean().most, (0.5 + std::log(2.0)) / 2.0);
}

TEST(VarianceInflation, TellsHowMuchMoreLongBlocksVary) {
  const auto of = [](std::size_t n, const std::function<double(std::size_t)>& value) {
    std::vector<double> means;
    for (std::size_t i = 0; i < n; ++i) means.push_back(value(i));
    return variance_inflation(means);
  };
  EXPECT_EQ(of(256, [](std::size_t) { return 0.1; }), 1.0) << "no variance";
  // Neighbours cancel: the means of two vary by nothing.
  EXPECT_EQ(of(256, [](std::size_t i) { return i % 2 == 0 ? 1.0 : -1.0; }), 1.0);
  // Pairs of equal values: 16 values of variance 16/15, 8 means of 2 of variance 8/7, so twice the
  // variance of the mean times 15/14.
  const auto pairs = of(16, [](std::size_t i) { return i / 2 % 2 == 0 ? 1.0 : -1.0; });
  EXPECT_NEAR(pairs.value(), 2.0 * (8.0 / 7.0) / (16.0 / 15.0), 1e-12);
  EXPECT_EQ(of(256, [](std::size_t i) { return i < 128 ? 1.0 : -1.0; }), std::nullopt) << "a step";
  EXPECT_EQ(of(256, [](std::size_t i) { return 1e-3 * double(i); }), std::nullopt) << "a trend";
}

/// The logarithms of two arms' latencies in a visit, and whether that of B is known.
struct SimulatedVisit {
  double a = 0.0, b = 0.0;
  bool is_b_timed = true;
};

struct Setting {
  std::string_view name{};
  double dependence = 0.0;       ///< of each arm's own slow noise from visit to visit
  double own_sd = 0.0;           ///< of that noise
  double sd = 0.2;               ///< of each latency by itself
  double log_ratio = 0.0;        ///< of B over A
  double slowest_untimed = 0.0;  ///< share of B's slowest visits that are not timed
  int visits = 3000;
};

class SimulatedArms {
 public:
  SimulatedArms(const Setting& setting, std::uint64_t seed) : setting_(setting), random_(seed) {
    own_ = {setting.own_sd * normal(), setting.own_sd * normal()};
  }
  SimulatedVisit next() {
    const double step =
        setting_.own_sd * std::sqrt(1.0 - setting_.dependence * setting_.dependence);
    for (double& noise : own_) noise = setting_.dependence * noise + step * normal();
    const double in_b = normal();
    // The standard normal exceeds 1.2816 in 10 %, 0.8416 in 20 % of cases.
    const double limit = setting_.slowest_untimed == 0.2 ? 0.8416 : 1.2816;
    return {.a = own_[0] + setting_.sd * normal(),
            .b = own_[1] + setting_.sd * in_b + setting_.log_ratio,
            .is_b_timed = setting_.slowest_untimed == 0.0 || in_b < limit};
  }

 private:
  double normal() { return normal_(random_); }

  Setting setting_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::array<double, 2> own_{};
};

/// Returns the share of histories in which an arm was ever called faster.
double share_faster(const Setting& setting, std::uint64_t histories) {
  std::uint64_t faster = 0;
  for (std::uint64_t seed = 1; seed <= histories; ++seed) {
    SimulatedArms arms(setting, seed);
    SpeedEvidence evidence;
    bool is_faster = false;
    for (int i = 1; i <= setting.visits; ++i) {
      const SimulatedVisit visit = arms.next();
      const double log_ratio = visit.b - visit.a;
      evidence.add(visit.is_b_timed ? SpeedEvidence::Bounds{log_ratio, log_ratio}
                                    : SpeedEvidence::Bounds{});
      if (i % 50 == 0) is_faster = is_faster || evidence.state(kAlpha) == LatencyState::kFaster;
    }
    faster += is_faster ? 1 : 0;
  }
  return static_cast<double>(faster) / static_cast<double>(histories);
}

TEST(SpeedEvidence, EquallyFastArmsAreSeldomDifferentAtAnyLook) {
  const std::uint64_t histories = number_of_cases(100);
  // 5 %, and three standard errors of the share.
  const double most = 0.05 + 3.0 * std::sqrt(0.05 * 0.95 / static_cast<double>(histories));
  const Setting settings[] = {
      {.name = "independent"},
      {.name = "own noise 0.5", .dependence = 0.5, .own_sd = 0.2},
      {.name = "own noise 0.95", .dependence = 0.95, .own_sd = 0.2},
      {.name = "own noise 0.99", .dependence = 0.99, .own_sd = 0.2},
      {.name = "own noise 0.99 alone", .dependence = 0.99, .own_sd = 0.2, .sd = 0.02},
      {.name = "own noise 0.995", .dependence = 0.995, .own_sd = 0.2},
      {.name = "a tenth untimed", .slowest_untimed = 0.1},
      {.name = "a fifth untimed", .sd = 0.4, .slowest_untimed = 0.2}};
  for (const Setting& setting : settings) {
    EXPECT_LE(share_faster(setting, histories), most) << setting.name;
  }
}

TEST(SpeedEvidence, ASlowerArmIsFoundInOrdinaryTraffic) {
  const double slower = std::log(1.2);
  const Setting settings[] = {
      {.name = "600 visits", .log_ratio = slower, .visits = 600},
      {.name = "600 noisy visits", .sd = 0.4, .log_ratio = slower, .visits = 600},
      {.name = "faster", .log_ratio = -slower, .visits = 600},
      {.name = "own noise", .dependence = 0.5, .own_sd = 0.2, .log_ratio = slower, .visits = 1000}};
  for (const Setting& setting : settings) {
    EXPECT_GE(share_faster(setting, 100), 0.95) << setting.name;
  }
}

}  // namespace
}  // namespace prescope
