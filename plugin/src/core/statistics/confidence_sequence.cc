#include "core/statistics/confidence_sequence.h"

#include <algorithm>
#include <cmath>

namespace prescope {

TopicSums::TopicSums(std::uint64_t n, double sum, double squares) noexcept : n_(n) {
  sum_.add(sum);
  squares_.add(squares);
}

void TopicSums::add(double value) noexcept {
  ++n_;
  sum_.add(value);
  squares_.add(value * value);
}

void TopicSums::replace(double before, double now) noexcept {
  sum_.add(now);
  sum_.add(-before);
  squares_.add(now * now);
  squares_.add(-(before * before));
}

void TopicSums::merge(const TopicSums& others) noexcept {
  n_ += others.n_;
  sum_.add(others.sum_);
  squares_.add(others.squares_);
}

double TopicSums::mean() const noexcept { return n_ == 0 ? 0.0 : sum() / static_cast<double>(n_); }

double TopicSums::squared_deviations() const noexcept {
  return n_ == 0 ? 0.0 : std::max(0.0, squares() - sum() * mean());
}

double ConfidenceSequence::log_e_value(const TopicSums& sums, double mean) const noexcept {
  const auto n = static_cast<double>(sums.n());
  const double sum = sums.sum() - n * mean;
  const double squares = std::max(0.0, sums.squares() - 2.0 * mean * sums.sum() + n * mean * mean);
  return -0.5 * std::log1p(squares / b_squared) + sum * sum / (2.0 * (b_squared + squares));
}

std::optional<double> ConfidenceSequence::half_width(const TopicSums& sums) const noexcept {
  // With w = n (m - mean)^2, the e-value of m is 1 / alpha where this is 0; it rises up to `last`.
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

}  // namespace prescope
