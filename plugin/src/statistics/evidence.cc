#include "statistics/evidence.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace prescope {

namespace {

/// The share of the largest bet on a value, which would lose everything at the end of the range.
constexpr double kLargestShare = 0.99;
constexpr std::size_t kBets = 8;

/// Values whose factors are multiplied before a logarithm is taken. A factor is at least 0.01 and,
/// for the outermost mean that is asked for, at most 2e9: 32 of them stay within the range of a
/// double.
constexpr std::size_t kValuesPerLogarithm = 32;

using Players = std::array<double, kBets>;

/// ln(e^a + e^b).
double log_of_sum(double a, double b) noexcept {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

/// Returns ln of the wealth of all players. Half of the whole goes to the first, half of the rest
/// to the next; the last two have the same.
double log_of_all(const std::array<CompensatedSum, kBets>& log_wealths) noexcept {
  const double log_half = -std::log(2.0);
  double log_part = log_half;
  double sum = log_wealths[0].value() + log_part;
  for (std::size_t i = 1; i < kBets; ++i) {
    if (i + 1 < kBets) log_part += log_half;
    sum = log_of_sum(sum, log_wealths[i].value() + log_part);
  }
  return sum;
}

/// Each player's factor for a value is 1 + stake (value - null_mean). `largest_stake` is above 0
/// for bets on values above the mean, below 0 for bets on lower ones.
double log_wealth(std::span<const double> values, double null_mean, double largest_stake) noexcept {
  Players stakes;
  for (double& stake : stakes) {
    stake = largest_stake;
    largest_stake /= 2.0;
  }
  std::array<CompensatedSum, kBets> log_wealths{};
  while (!values.empty()) {
    const auto block = values.first(std::min(kValuesPerLogarithm, values.size()));
    Players wealth;
    wealth.fill(1.0);
    for (const double value : block) {
      const double above = value - null_mean;
      for (std::size_t i = 0; i < kBets; ++i) wealth[i] *= 1.0 + stakes[i] * above;
    }
    for (std::size_t i = 0; i < kBets; ++i) log_wealths[i].add(std::log(wealth[i]));
    values = values.subspan(block.size());
  }
  return log_of_all(log_wealths);
}

LiveState state_of(std::uint64_t topics, double log_e_different, const LiveVerdict& verdict) {
  if (topics < kFewestTopics) return LiveState::kCollecting;
  if (log_e_different >= -std::log(verdict.alpha)) return LiveState::kConfirmed;
  if (verdict.low > 0.0 || verdict.high < 0.0) return LiveState::kLeading;
  return LiveState::kNoVerdict;
}

/// Returns the distance from 0 at which the interval would exclude 0 in 4 of 5 cases: its half
/// width and 0.84 standard errors, the normal distribution's 80 % quantile. Returns std::nullopt if
/// no difference can be that large.
std::optional<double> detectable(const TopicSums& sums, double half_width, double scale) {
  constexpr double kFourOfFive = 0.8416212335729143;
  const auto n = static_cast<double>(sums.n());
  const double standard_error = std::sqrt(sums.squared_deviations() / (n - 1.0) / n);
  const double difference = scale * (half_width + kFourOfFive * standard_error);
  return difference > 1.0 ? std::nullopt : std::optional(difference);
}

}  // namespace

double BettingEvidence::log_e_different() const noexcept {
  return log_of_sum(log_e_above, log_e_below) - std::log(2.0);
}

BettingEvidence betting_evidence(std::span<const double> values, double null_mean) noexcept {
  return {.log_e_above = log_wealth(values, null_mean, kLargestShare / (1.0 + null_mean)),
          .log_e_below = log_wealth(values, null_mean, -kLargestShare / (1.0 - null_mean))};
}

double ConfidenceSequence::log_e_value(const TopicSums& sums, double mean) const noexcept {
  const auto n = static_cast<double>(sums.n());
  const double sum = sums.sum() - n * mean;
  const double squares = std::max(0.0, sums.squares() - 2.0 * mean * sums.sum() + n * mean * mean);
  return -0.5 * std::log1p(squares / b_squared) + sum * sum / (2.0 * (b_squared + squares));
}

std::optional<double> ConfidenceSequence::half_width(const TopicSums& sums) const noexcept {
  // With w = n (m - mean)^2, the e-value of m is 1 / alpha when this is 0; it rises up to `last`.
  const auto n = static_cast<double>(sums.n());
  const double b = b_squared + sums.squared_deviations();
  const auto excess = [&](double w) {
    return n * w / (b + w) - std::log((b + w) / b_squared) + 2.0 * std::log(alpha);
  };
  const double last = (n - 1.0) * b;
  if (sums.n() < 2 || excess(last) < 0.0) return std::nullopt;
  double low = 0.0, high = last;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (excess(middle) < 0.0 ? low : high) = middle;
  }
  return std::sqrt(high / n);
}

std::string_view to_string(LiveState state) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"collecting", "no verdict", "leading",
                                                      "confirmed"};
  return kNames[static_cast<std::size_t>(state)];
}

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

double sample_ratio_log_e(std::uint64_t in_a, std::uint64_t in_b) noexcept {
  constexpr BetaMixture kNearlyFair{100.0, 100.0};
  return kNearlyFair.log_e_value(in_b, in_a, 0.5);
}

}  // namespace prescope
