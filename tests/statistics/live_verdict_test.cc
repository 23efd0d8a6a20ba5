// Worked by hand, or from the stored vectors' set D12, whose answers an independent program gave.
#include "statistics/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace prescope {
namespace {

using Values = std::vector<double>;

TopicSums sums_of(const Values& values) {
  TopicSums sums;
  for (const double value : values) sums.add(value);
  return sums;
}

LiveVerdict verdict_of(const Values& values, const LiveStatement& statement = {}) {
  return live_verdict(sums_of(values), values, statement);
}

Values joined(Values values, std::size_t more, double value) {
  values.insert(values.end(), more, value);
  return values;
}

TEST(BettingEvidence, OfOneValueIsTheSumOfTheBets) {
  // Player j has 2^-(j+1) of the wealth (the last 2^-7) and stakes 0.99 / 2^j: together they stake
  // 0.99 (1/2 + 1/8 + ... + 2^-13 + 2^-14).
  double staked = 0.0;
  for (int j = 0; j < 7; ++j) staked += std::ldexp(0.99, -(2 * j + 1));
  staked += std::ldexp(0.99, -14);
  const BettingEvidence evidence = betting_evidence(Values{0.5});
  EXPECT_NEAR(evidence.log_e_above, std::log(1.0 + 0.5 * staked), 1e-15);
  EXPECT_NEAR(evidence.log_e_below, std::log(1.0 - 0.5 * staked), 1e-15);
  // Half on each side: what one wins the other loses.
  EXPECT_NEAR(evidence.log_e_different(), 0.0, 1e-15);
}

TEST(BettingEvidence, OfNoValuesIsZero) {
  const BettingEvidence evidence = betting_evidence({});
  EXPECT_NEAR(evidence.log_e_above, 0.0, 1e-15);
  EXPECT_NEAR(evidence.log_e_different(), 0.0, 1e-15);
}

TEST(LiveVerdict, EqualsTheStoredVectors) {
  const Values d12 = {.038, 0, 0, -.03, .05, 0, .06, -.02, .05, 0, 0, .05};
  const LiveVerdict verdict = verdict_of(d12);
  const double mean = 0.0165;  // 0.198 / 12
  EXPECT_NEAR(verdict.log_e, .0473453501727, 1e-12);
  EXPECT_NEAR(verdict.low, mean - .170987606676, 1e-12);
  EXPECT_NEAR(verdict.high, mean + .170987606676, 1e-12);
  // W+ and W- are on either side of 1, their mean is the vectors' e-value.
  EXPECT_NEAR(std::log(0.5 * (std::exp(verdict.log_e_better) + std::exp(verdict.log_e_worse))),
              .00706852431819, 1e-12);
  EXPECT_EQ(verdict.state, LiveState::kNoVerdict);
}

TEST(LiveVerdict, CollectsForTenTopicsWhateverTheValues) {
  // 0.5 * 1.99^9 = 245 and more: the bets alone would have won.
  EXPECT_EQ(verdict_of(Values(9, 1.0)).state, LiveState::kCollecting);
  EXPECT_EQ(verdict_of(Values(10, 1.0)).state, LiveState::kConfirmed);
  EXPECT_EQ(verdict_of(Values(10, -1.0)).state, LiveState::kConfirmed);
  EXPECT_EQ(verdict_of(Values(10, 0.0)).state, LiveState::kNoVerdict);
}

TEST(LiveVerdict, WithoutTopicsIsTheWholeRange) {
  const LiveVerdict verdict = verdict_of({});
  EXPECT_EQ(verdict.state, LiveState::kCollecting);
  EXPECT_EQ(verdict.low, -1.0);
  EXPECT_EQ(verdict.high, 1.0);
  EXPECT_EQ(verdict.log_e, 0.0);
  EXPECT_FALSE(verdict.detectable);
}

TEST(LiveVerdict, LeadsIfTheIntervalExcludesZeroAndTheBetsHaveNotWon) {
  // S = 2, Q = 0.04, n = 200: ln E = -ln(1.16) / 2 + 4 / (2 * 0.29) = 6.8, above ln 20 = 3.0. The
  // best bet has at most e^(0.99 * 2) = 7.2.
  const Values better = joined(Values(100, 0.02), 100, 0.0);
  const LiveVerdict verdict = verdict_of(better);
  EXPECT_NEAR(verdict.log_e, -0.5 * std::log(1.16) + 4.0 / 0.58, 1e-12);
  EXPECT_GT(verdict.low, 0.0);
  EXPECT_LT(verdict.log_e_better, std::log(7.3));
  EXPECT_EQ(verdict.state, LiveState::kLeading);

  Values worse = better;
  for (double& value : worse) value = -value;
  const LiveVerdict mirrored = verdict_of(worse);
  EXPECT_EQ(mirrored.state, LiveState::kLeading);
  EXPECT_DOUBLE_EQ(mirrored.high, -verdict.low);
  EXPECT_DOUBLE_EQ(mirrored.low, -verdict.high);
  EXPECT_NEAR(mirrored.log_e_worse, verdict.log_e_better, 1e-12);
}

TEST(LiveVerdict, NeedsMoreEvidenceForASmallerShareOfAlpha) {
  // 10 topics at 0.6: W+ is at least (1 + 0.99 * 0.6)^10 / 2 = 53, and below 1.594^10 = 106 in any
  // case; E2 is between 26 and 54. 1 / 0.05 = 20, 1 / 0.01 = 100.
  EXPECT_EQ(verdict_of(Values(10, 0.6)).state, LiveState::kConfirmed);
  EXPECT_NE(verdict_of(Values(10, 0.6), {.alpha = 0.01}).state, LiveState::kConfirmed);
  EXPECT_EQ(verdict_of(Values(10, 0.6), {.alpha = 0.01}).alpha, 0.01);
}

TEST(LiveVerdict, HasTheDetectableDifference) {
  // n = 400, S = 7.2, Q = 1.1: the half width is a stored vector's; 0.8416 is the normal's 80 %.
  const double standard_error = std::sqrt((1.1 - 7.2 * 7.2 / 400) / 399 / 400);
  const LiveVerdict verdict = live_verdict(TopicSums(400, 7.2, 1.1), {}, {});
  EXPECT_NEAR(verdict.detectable.value(), .00768511000992 + 0.8416212335729143 * standard_error,
              1e-12);
  // The rule of thumb for this share of alpha: (1.6 * 1.96 + 0.84) standard errors.
  EXPECT_NEAR(*verdict.detectable, (1.6 * 1.96 + 0.84) * standard_error,
              0.01 * *verdict.detectable);
}

TEST(LiveVerdict, DetectsNothingIfTheIntervalIsTooWide) {
  // n = 8, S = 0.1, Q = 0.01: the stored vectors' unbounded case.
  const LiveVerdict unbounded = live_verdict(TopicSums(8, 0.1, 0.01), {}, {});
  EXPECT_FALSE(unbounded.detectable);
  EXPECT_EQ(unbounded.low, -1.0);
  // n = 12 +-1: the half width is 1 and more.
  EXPECT_FALSE(live_verdict(TopicSums(12, 0.0, 12.0), {}, {}).detectable);
}

TEST(LiveVerdict, SplitTrafficIsDoubled) {
  // n = 400, S = 40, Q = 60, b^2 = 4: a stored vector.
  const TopicSums sums(400, 40.0, 60.0);
  const LiveVerdict verdict =
      live_verdict(sums, {}, score_statement(Mode::kSplit, BaselineScores::kNone, 0.05));
  EXPECT_NEAR(verdict.log_e, 11.1137056389, 1e-9);
  EXPECT_NEAR(verdict.low, 2.0 * (0.1 - .0578228845918), 1e-12);
  EXPECT_NEAR(verdict.high, 2.0 * (0.1 + .0578228845918), 1e-12);
}

TEST(LiveVerdict, IsLimitedToOne) {
  const LiveVerdict verdict = live_verdict(
      TopicSums(20, 19.0, 18.5), {}, score_statement(Mode::kSplit, BaselineScores::kKnown, 0.05));
  EXPECT_EQ(verdict.high, 1.0);  // twice the mean is 1.9
  EXPECT_GT(verdict.low, 0.0);
}

TEST(LiveVerdict, EachModeHasItsPriorVariance) {
  EXPECT_EQ(score_statement(Mode::kObserve, BaselineScores::kNone, 0.05).b_squared, 0.25);
  EXPECT_EQ(score_statement(Mode::kPaired, BaselineScores::kKnown, 0.05).b_squared, 0.25);
  EXPECT_EQ(score_statement(Mode::kPaired, BaselineScores::kKnown, 0.05).scale, 1.0);
  EXPECT_EQ(score_statement(Mode::kSplit, BaselineScores::kNone, 0.05).b_squared, 4.0);
  EXPECT_EQ(score_statement(Mode::kSplit, BaselineScores::kKnown, 0.05).b_squared, 0.5);
  EXPECT_EQ(score_statement(Mode::kSplit, BaselineScores::kKnown, 0.02).alpha, 0.02);
  EXPECT_EQ(log_latency_sequence(0.05).b_squared, 2.0);
}

}  // namespace
}  // namespace prescope
