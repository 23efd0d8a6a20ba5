#include "core/statistics/live_verdict.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/statistics/betting_evidence.h"

namespace prescope {

std::string_view to_string(LiveState state) noexcept {
  switch (state) {
    case LiveState::kCollecting:
      return "collecting";
    case LiveState::kNoVerdict:
      return "no verdict";
    case LiveState::kLeading:
      return "leading";
    case LiveState::kConfirmed:
      return "confirmed";
  }
  return "";
}

namespace {

LiveState state_of(std::uint64_t topics, double log_e_different, const LiveVerdict& verdict) {
  if (topics < kFewestTopics) return LiveState::kCollecting;
  if (log_e_different >= -std::log(verdict.alpha)) return LiveState::kConfirmed;
  if (verdict.low > 0.0 || verdict.high < 0.0) return LiveState::kLeading;
  return LiveState::kNoVerdict;
}

/// What the interval would have to be away from 0 to leave it in 4 of 5 cases: its half width and
/// 0.84 standard errors, the normal distribution's 80 % quantile.
/// Nothing where that is more than any difference can be.
std::optional<double> detectable(const TopicSums& sums, double half_width, double scale) {
  constexpr double kFourOfFive = 0.8416212335729143;
  const auto n = static_cast<double>(sums.n());
  const double standard_error = std::sqrt(sums.squared_deviations() / (n - 1.0) / n);
  const double difference = scale * (half_width + kFourOfFive * standard_error);
  return difference > 1.0 ? std::nullopt : std::optional(difference);
}

}  // namespace

LiveStatement score_statement(Mode mode, BaselineScores baseline, double alpha) noexcept {
  if (mode != Mode::kSplit) return {.alpha = alpha, .b_squared = 0.25, .scale = 1.0};
  return {
      .alpha = alpha, .b_squared = baseline == BaselineScores::kKnown ? 0.5 : 4.0, .scale = 2.0};
}

ConfidenceSequence log_latency_sequence(double alpha) noexcept {
  return {.alpha = alpha, .b_squared = 2.0};
}

LiveVerdict live_verdict(const TopicSums& sums, std::span<const double> values,
                         const LiveStatement& statement) noexcept {
  const ConfidenceSequence sequence{.alpha = statement.alpha, .b_squared = statement.b_squared};
  const BettingEvidence bets = betting_evidence(values);
  LiveVerdict verdict{.alpha = statement.alpha,
                      .log_e = sequence.log_e_value(sums),
                      .log_e_better = bets.log_e_above,
                      .log_e_worse = bets.log_e_below};
  if (const std::optional<double> half_width = sequence.half_width(sums)) {
    verdict.low = std::max(-1.0, statement.scale * (sums.mean() - *half_width));
    verdict.high = std::min(1.0, statement.scale * (sums.mean() + *half_width));
    verdict.detectable = detectable(sums, *half_width, statement.scale);
  }
  verdict.state = state_of(sums.n(), bets.log_e_different(), verdict);
  return verdict;
}

}  // namespace prescope
