#include "core/statistics/betting_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/statistics/compensated_sum.h"

namespace prescope {
namespace {

/// Of the largest bet on a value, which would lose everything at the end of the range.
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

/// Each player's factor for a value is 1 + stake (value - null_mean).
Players wealth_of_block(std::span<const double> values, double null_mean,
                        const Players& stakes) noexcept {
  Players wealth;
  wealth.fill(1.0);
  for (const double value : values) {
    const double above = value - null_mean;
    for (std::size_t i = 0; i < kBets; ++i) wealth[i] *= 1.0 + stakes[i] * above;
  }
  return wealth;
}

/// ln of the wealth of all players. Half of what there is goes to the first, half of the rest to
/// the next; the last two have the same.
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

/// `largest_stake` is above 0 for bets on values above the mean, below 0 for bets on lower ones.
double log_wealth(std::span<const double> values, double null_mean, double largest_stake) noexcept {
  Players stakes;
  for (double& stake : stakes) {
    stake = largest_stake;
    largest_stake /= 2.0;
  }
  std::array<CompensatedSum, kBets> log_wealths{};
  while (!values.empty()) {
    const std::size_t block = std::min(kValuesPerLogarithm, values.size());
    const Players wealth = wealth_of_block(values.first(block), null_mean, stakes);
    for (std::size_t i = 0; i < kBets; ++i) log_wealths[i].add(std::log(wealth[i]));
    values = values.subspan(block);
  }
  return log_of_all(log_wealths);
}

}  // namespace

double BettingEvidence::log_e_different() const noexcept {
  return log_of_sum(log_e_above, log_e_below) - std::log(2.0);
}

BettingEvidence betting_evidence(std::span<const double> values, double null_mean) noexcept {
  return {.log_e_above = log_wealth(values, null_mean, kLargestShare / (1.0 + null_mean)),
          .log_e_below = log_wealth(values, null_mean, -kLargestShare / (1.0 - null_mean))};
}

BettingInterval betting_interval(std::span<const double> values, double alpha) {
  const double enough = std::log(2.0 / alpha);
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = values.empty() ? 0.0 : sum / static_cast<double>(values.size());
  const auto is_in = [&](double m) {
    const BettingEvidence evidence = betting_evidence(values, m);
    return evidence.log_e_above < enough && evidence.log_e_below < enough;
  };
  constexpr double kPrecision = 2e-9;
  const auto reaches = [&](double outside) {
    double inside = mean;
    while (std::abs(outside - inside) > kPrecision) {
      const double middle = 0.5 * (inside + outside);
      (is_in(middle) ? inside : outside) = middle;
    }
    return outside;
  };
  return {.low = reaches(-1.0), .high = reaches(1.0)};
}

}  // namespace prescope
