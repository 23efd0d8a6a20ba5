// Verdicts about two arms that do not differ, through the real ledger, looked at after every topic.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "support/simulated_traffic.h"

namespace prescope {

namespace testing {
void PrintTo(const NullTraffic& traffic, std::ostream* out) { *out << traffic.name; }
}  // namespace testing

namespace {

class FalseVerdicts : public ::testing::TestWithParam<NullTraffic> {};

TEST_P(FalseVerdicts, AreInAtMostFivePercentOfExperiments) {
  constexpr std::uint32_t kExperiments = 1000;
  const NullOutcomes outcomes = simulate_all(GetParam(), kExperiments);
  EXPECT_LE(outcomes.verdicts, kExperiments / 20) << "seeds 1 to " << kExperiments;
  EXPECT_GT(outcomes.topics, 60.0) << "otherwise there was too little to look at";
}

TEST_P(FalseVerdicts, ArmThatIsBetterIsFound) {
  constexpr std::uint32_t kExperiments = 50;
  NullTraffic traffic = GetParam();
  traffic.advantage = traffic.mode == Mode::kSplit ? 4.0 : 1.0;
  EXPECT_GT(simulate_all(traffic, kExperiments).verdicts, kExperiments / 2);
}

INSTANTIATE_TEST_SUITE_P(Traffic, FalseVerdicts, ::testing::ValuesIn(null_traffic()));

// Issue: "The same ranker in both arms, an index that loses 40 % of relevant documents while the
// shadow rate falls from 95 to 20 %: 20 of 20 experiments 'confirmed'." The arms' means over all
// visits do differ, so a comparison of them would be confirmed.
TEST(FalseVerdict, IndexLossWithFallingShadowRateIsNoDifference) {
  for (const NullTraffic& like : null_traffic().first(2)) {
    NullTraffic traffic = like;
    traffic.topics = 400;
    traffic.visits = 4000;
    traffic.topic_effect = traffic.visit_noise = 0.0;  // the same ranker
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const NullOutcome outcome = simulate(traffic, seed);
      EXPECT_FALSE(outcome.has_verdict) << like.name << ", seed " << seed;
      EXPECT_LT(outcome.served_less_compared, -0.005) << like.name << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace prescope
