#include "core/statistics/betting_evidence.h"

#include <algorithm>
#include <cmath>

namespace prescope {
namespace {

/// Of the largest bet on a value, which would lose everything at the end of the range.
constexpr double kLargestShare = 0.99;

/// ln(e^a + e^b).
double log_of_sum(double a, double b) noexcept {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

}  // namespace

void BettingEvidence::bet(double value, double times) noexcept {
  double share = kLargestShare;
  for (std::size_t i = 0; i < kBets; ++i, share /= 2.0) {
    above_[i].add(times * std::log1p(share / (1.0 + null_mean_) * (value - null_mean_)));
    below_[i].add(times * std::log1p(-share / (1.0 - null_mean_) * (value - null_mean_)));
  }
}

void BettingEvidence::merge(const BettingEvidence& others) noexcept {
  for (std::size_t i = 0; i < kBets; ++i) {
    above_[i].add(others.above_[i]);
    below_[i].add(others.below_[i]);
  }
}

double BettingEvidence::log_wealth(const LogWealths& wealths) noexcept {
  // Half of what there is goes to the first player, half of the rest to the next; the last two
  // have the same.
  double log_part = -std::log(2.0);
  double sum = wealths[0].value() + log_part;
  for (std::size_t i = 1; i < kBets; ++i) {
    if (i + 1 < kBets) log_part -= std::log(2.0);
    sum = log_of_sum(sum, wealths[i].value() + log_part);
  }
  return sum;
}

double BettingEvidence::log_e_different() const noexcept {
  return log_of_sum(log_e_above(), log_e_below()) - std::log(2.0);
}

BettingInterval betting_interval(std::span<const double> values, double alpha) {
  const double enough = std::log(2.0 / alpha);
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = values.empty() ? 0.0 : sum / static_cast<double>(values.size());
  const auto is_in = [&](double m) {
    BettingEvidence evidence(m);
    for (const double value : values) evidence.add(value);
    return evidence.log_e_above() < enough && evidence.log_e_below() < enough;
  };
  constexpr double kPrecision = 1e-9;
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
