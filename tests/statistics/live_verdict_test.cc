// Worked by hand, or from the stored vectors' set D12, whose answers an independent program gave.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "statistics/evidence.h"

namespace prescope {
namespace {

using Values = std::vector<double>;

TopicEvidence evidence_of(const Values& values) {
  TopicEvidence evidence;
  for (const double value : values) evidence.add(value);
  return evidence;
}

/// Two values, each in half of the `n` topics, with the sum and the sum of squares asked for.
TopicEvidence evidence_with(std::uint64_t n, double sum, double squares) {
  const double mean = sum / static_cast<double>(n);
  const double deviation = std::sqrt(squares / static_cast<double>(n) - mean * mean);
  TopicEvidence evidence;
  for (std::uint64_t i = 0; i < n; ++i) evidence.add(mean + (i % 2 == 0 ? deviation : -deviation));
  return evidence;
}

LiveVerdict verdict_of(const Values& values, const LiveStatement& statement = {}) {
  return live_verdict(evidence_of(values), statement);
}

Values joined(Values values, std::size_t more, double value) {
  values.insert(values.end(), more, value);
  return values;
}

Values mirrored(Values values) {
  for (double& value : values) value = -value;
  return values;
}

TEST(TopicEvidence, OfOneValueIsTheSumOfTheBets) {
  // Player j has 2^-(j+1) of the wealth (the last 2^-7) and stakes 0.99 / 2^j: together they stake
  // 0.99 (1/2 + 1/8 + ... + 2^-13 + 2^-14).
  double staked = 0.0;
  for (int j = 0; j < 7; ++j) staked += std::ldexp(0.99, -(2 * j + 1));
  staked += std::ldexp(0.99, -14);
  const TopicEvidence evidence = evidence_of({0.5});
  EXPECT_NEAR(evidence.log_e_above(), std::log(1.0 + 0.5 * staked), 1e-15);
  EXPECT_NEAR(evidence.log_e_below(), std::log(1.0 - 0.5 * staked), 1e-15);
  // Half on each side: what one wins the other loses.
  EXPECT_NEAR(evidence.log_e_different(), 0.0, 1e-15);
}

TEST(TopicEvidence, OfNoValuesIsZero) {
  const TopicEvidence evidence;
  EXPECT_NEAR(evidence.log_e_above(), 0.0, 1e-15);
  EXPECT_NEAR(evidence.log_e_different(), 0.0, 1e-15);
}

TEST(LiveVerdict, EqualsTheStoredVectors) {
  const Values d12 = {.038, 0, 0, -.03, .05, 0, .06, -.02, .05, 0, 0, .05};
  const LiveVerdict verdict = verdict_of(d12);
  const double mean = 0.0165;  // 0.198 / 12
  EXPECT_EQ(verdict.topics, 12U);
  EXPECT_NEAR(verdict.mean.value(), mean, 1e-15);
  EXPECT_NEAR(verdict.log_e, .0473453501727, 1e-12);
  EXPECT_NEAR(verdict.low, mean - .170987606676, 1e-12);
  EXPECT_NEAR(verdict.high, mean + .170987606676, 1e-12);
  // W+ and W- are on either side of 1, their mean is the vectors' e-value.
  EXPECT_NEAR(std::log(0.5 * (std::exp(verdict.log_e_better) + std::exp(verdict.log_e_worse))),
              .00706852431819, 1e-12);
  EXPECT_EQ(verdict.state, LiveState::kNoVerdict);
  EXPECT_EQ(verdict.topics_to_undo, 0U);
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
  EXPECT_FALSE(verdict.mean);
  EXPECT_EQ(verdict.low, -1.0);
  EXPECT_EQ(verdict.high, 1.0);
  EXPECT_EQ(verdict.log_e, 0.0);
  EXPECT_EQ(verdict.topics_to_undo, 0U);
  EXPECT_FALSE(verdict.detectable);
}

TEST(LiveVerdict, LeadsOnlyWhenTheBetsAgree) {
  // n values of 0.01: the interval excludes 0 in each case. The player with the largest stake has
  // half of the wealth and makes (1 + 0.0099)^n of it; the next a quarter, and (1 + 0.00495)^n.
  const struct {
    std::size_t topics;
    LiveState state;
  } cases[] = {
      {250, LiveState::kAhead},      // 5.87 + 0.86 and less than 0.5 of the rest: below 10
      {310, LiveState::kLeading},    // 10.6 + 1.16: above 10; with all others below 20
      {600, LiveState::kConfirmed},  // 184 + 4.8: above 40
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.topics);
    const Values better(each.topics, 0.01), worse = mirrored(better);
    const LiveVerdict verdict = verdict_of(better), opposite = verdict_of(worse);
    EXPECT_GT(verdict.low, 0.0);
    EXPECT_EQ(verdict.state, each.state) << std::exp(verdict.log_e_better);
    EXPECT_EQ(opposite.state, each.state);
    EXPECT_DOUBLE_EQ(opposite.high, -verdict.low);
    EXPECT_DOUBLE_EQ(opposite.low, -verdict.high);
    EXPECT_NEAR(opposite.log_e_worse, verdict.log_e_better, 1e-12);
    EXPECT_EQ(opposite.topics_to_undo, verdict.topics_to_undo);
  }
}

TEST(LiveVerdict, NeedsMoreEvidenceForASmallerShareOfAlpha) {
  // 10 topics at 0.6: W+ is at least (1 + 0.99 * 0.6)^10 / 2 = 53, and below 1.594^10 = 106 in any
  // case; E2 is between 26 and 54. 1 / 0.05 = 20, 1 / 0.01 = 100.
  EXPECT_EQ(verdict_of(Values(10, 0.6)).state, LiveState::kConfirmed);
  EXPECT_NE(verdict_of(Values(10, 0.6), {.alpha = 0.01}).state, LiveState::kConfirmed);
  EXPECT_EQ(verdict_of(Values(10, 0.6), {.alpha = 0.01}).alpha, 0.01);
  // 310 topics at 0.01 lead at 5 % with 12; at 2.5 % that needs 20.
  EXPECT_EQ(verdict_of(Values(310, 0.01), {.alpha = 0.025}).state, LiveState::kAhead);
}

/// 40 topics at 0.6 are confirmed. Of 20 further ones only bounds are known.
TEST(LiveVerdict, HoldsAtBothBoundsOrNotAtAll) {
  const struct {
    double low, high;
    LiveState state;
  } kCases[] = {
      {0.6, 0.6, LiveState::kConfirmed},
      {0.0, 1.0, LiveState::kConfirmed},   // the mean is at least 24 / 60
      {-1.0, 1.0, LiveState::kNoVerdict},  // 4 / 60 if all of them are lost
  };
  for (const auto& one : kCases) {
    BoundedEvidence evidence(evidence_of(Values(40, 0.6)));
    for (int i = 0; i < 20; ++i) evidence.add({one.low, one.high});
    const LiveVerdict verdict = live_verdict(evidence, {});
    EXPECT_EQ(verdict.state, one.state) << one.low;
    EXPECT_EQ(verdict.topics, 60U);
    EXPECT_EQ(verdict.bounded_topics, one.low < one.high ? 20U : 0U);
    EXPECT_NEAR(verdict.mean_low.value(), (24.0 + 20.0 * one.low) / 60.0, 1e-12);
    EXPECT_NEAR(verdict.mean_high.value(), (24.0 + 20.0 * one.high) / 60.0, 1e-12);
    const LiveVerdict at_low = verdict_of(joined(Values(40, 0.6), 20, one.low));
    const LiveVerdict at_high = verdict_of(joined(Values(40, 0.6), 20, one.high));
    EXPECT_NEAR(verdict.low, std::min(at_low.low, at_high.low), 1e-12);
    EXPECT_NEAR(verdict.high, std::max(at_low.high, at_high.high), 1e-12);
    EXPECT_NEAR(verdict.log_e_better, at_low.log_e_better, 1e-12);
    EXPECT_NEAR(verdict.log_e_worse, at_high.log_e_worse, 1e-12);
  }
}

TEST(LiveVerdict, BoundsThatNarrowAreTakenOutFirst) {
  BoundedEvidence evidence;
  evidence.add({-0.5, 0.5});
  evidence.remove({-0.5, 0.5});
  evidence.add({0.25, 0.25});
  EXPECT_EQ(evidence.bounded(), 0U);
  EXPECT_EQ(evidence.topics(), 1U);
  EXPECT_NEAR(evidence.at_low().sums().sum(), 0.25, 1e-15);
  EXPECT_NEAR(evidence.at_high().sums().sum(), 0.25, 1e-15);
}

TEST(LiveVerdict, DescribesAMeasureThatIsNotPrimary) {
  for (const std::size_t topics : {0U, 5U, 250U, 600U}) {
    const LiveVerdict verdict = verdict_of(Values(topics, 0.01), {.is_primary = false});
    const LiveVerdict primary = verdict_of(Values(topics, 0.01));
    EXPECT_EQ(verdict.state, LiveState::kDescribed);
    EXPECT_EQ(verdict.low, primary.low);
    EXPECT_EQ(verdict.high, primary.high);
    EXPECT_EQ(verdict.mean, primary.mean);
  }
}

/// ln E(0) at b^2 = 0.25, written down again.
double log_e(double sum, double squares) {
  return -0.5 * std::log(1.0 + squares / 0.25) + sum * sum / (2.0 * (0.25 + squares));
}

TEST(LiveVerdict, CountsTheTopicsThatWouldUndoIt) {
  const struct {
    Values values;
    double scale;
  } cases[] = {{Values(250, 0.01), 1.0},
               {joined(Values(300, 0.02), 100, -0.01), 1.0},
               {Values(200, 0.05), 2.0},
               {mirrored(Values(3000, 0.5)), 1.0}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.values.size());
    double sum = 0.0, squares = 0.0;
    for (const double value : each.values) sum += value, squares += value * value;
    std::uint32_t needed = 0;
    for (; log_e(std::abs(sum) - needed, squares + needed) >= std::log(20.0); ++needed) {
    }
    const double against = sum > 0.0 ? -1.0 : 1.0;
    const LiveStatement statement{.scale = each.scale};
    EXPECT_EQ(verdict_of(each.values, statement).topics_to_undo, needed);
    EXPECT_NE(verdict_of(joined(each.values, needed - 1, against), statement).topics_to_undo, 0U);
    const LiveVerdict undone = verdict_of(joined(each.values, needed, against), statement);
    EXPECT_EQ(undone.topics_to_undo, 0U);
    EXPECT_LE(undone.low, 0.0);
    EXPECT_GE(undone.high, 0.0);
  }
}

TEST(LiveVerdict, NeverExcludesZeroWithoutTheEvidenceAgainstIt) {
  // 12 topics at 1 and alpha = 0.05 / 3: the interval around 1 ends at some 0.5, but ln E(0) =
  // -ln(49) / 2 + 144 / 24.5 = 3.93 is below ln 60 = 4.09.
  const LiveStatement statement{.alpha = 0.05 / 3.0};
  const Values values(12, 1.0);
  const ConfidenceSequence sequence{.alpha = statement.alpha};
  ASSERT_TRUE(sequence.half_width(evidence_of(values).sums()).has_value());
  ASSERT_LT(*sequence.half_width(evidence_of(values).sums()), 1.0);
  EXPECT_EQ(verdict_of(values, statement).low, 0.0);
  EXPECT_EQ(verdict_of(mirrored(values), statement).high, 0.0);
  EXPECT_EQ(verdict_of(values, statement).topics_to_undo, 0U);
}

TEST(LiveVerdict, HasTheDetectableDifference) {
  // n = 400, S = 7.2, Q = 1.1: the half width is a stored vector's; 0.8416 is the normal's 80 %.
  const double standard_error = std::sqrt((1.1 - 7.2 * 7.2 / 400) / 399 / 400);
  const LiveVerdict verdict = live_verdict(evidence_with(400, 7.2, 1.1), {});
  EXPECT_NEAR(verdict.detectable.value(), .00768511000992 + 0.8416212335729143 * standard_error,
              1e-12);
  // The rule of thumb for this share of alpha: (1.6 * 1.96 + 0.84) standard errors.
  EXPECT_NEAR(*verdict.detectable, (1.6 * 1.96 + 0.84) * standard_error,
              0.01 * *verdict.detectable);
}

TEST(LiveVerdict, DetectsNothingIfTheIntervalIsTooWide) {
  // n = 8, S = 0.1, Q = 0.01: the stored vectors' unbounded case.
  const LiveVerdict unbounded = live_verdict(evidence_with(8, 0.1, 0.01), {});
  EXPECT_FALSE(unbounded.detectable);
  EXPECT_EQ(unbounded.low, -1.0);
  // n = 12 +-1: the half width is 1 and more.
  EXPECT_FALSE(live_verdict(evidence_with(12, 0.0, 12.0), {}).detectable);
}

TEST(LiveVerdict, SplitTrafficIsDoubled) {
  // n = 400, S = 40, Q = 60, b^2 = 4: a stored vector.
  const LiveVerdict verdict = live_verdict(
      evidence_with(400, 40.0, 60.0), score_statement(Mode::kSplit, BaselineScores::kNone, 0.05));
  EXPECT_NEAR(verdict.log_e, 11.1137056389, 1e-9);
  EXPECT_NEAR(verdict.mean.value(), 0.2, 1e-12);
  EXPECT_NEAR(verdict.low, 2.0 * (0.1 - .0578228845918), 1e-12);
  EXPECT_NEAR(verdict.high, 2.0 * (0.1 + .0578228845918), 1e-12);
}

TEST(LiveVerdict, IsLimitedToOne) {
  const LiveVerdict verdict = verdict_of(
      joined(Values(19, 1.0), 1, 0.0), score_statement(Mode::kSplit, BaselineScores::kKnown, 0.05));
  EXPECT_EQ(verdict.high, 1.0);  // twice the mean is 1.9
  EXPECT_GT(verdict.low, 0.0);
}

TEST(LiveVerdict, EachModeHasItsPriorVariance) {
  EXPECT_EQ(score_statement(Mode::kPaired, BaselineScores::kKnown, 0.05).b_squared, 0.25);
  EXPECT_EQ(score_statement(Mode::kPaired, BaselineScores::kKnown, 0.05).scale, 1.0);
  EXPECT_EQ(score_statement(Mode::kSplit, BaselineScores::kNone, 0.05).b_squared, 4.0);
  EXPECT_EQ(score_statement(Mode::kSplit, BaselineScores::kKnown, 0.05).b_squared, 0.5);
  EXPECT_EQ(score_statement(Mode::kSplit, BaselineScores::kKnown, 0.02).alpha, 0.02);
  EXPECT_TRUE(score_statement(Mode::kPaired, BaselineScores::kNone, 0.05).is_primary);
}

}  // namespace
}  // namespace prescope
