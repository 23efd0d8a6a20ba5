#include "core/statistics/paired_t.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/statistics/distributions.h"

namespace prescope {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values, double mean) {
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

PairedT all_equal(std::uint32_t n, double difference) {
  PairedT test{.n = n, .mean = difference, .ci_low = difference, .ci_high = difference};
  if (difference != 0.0) {
    test.t = std::copysign(std::numeric_limits<double>::infinity(), difference);
    test.p_value = 0.0;
  }
  return test;
}

}  // namespace

std::optional<PairedT> paired_t(std::span<const double> differences, double confidence) {
  if (differences.size() < 2) return std::nullopt;
  const auto n = static_cast<std::uint32_t>(differences.size());
  // Asked of the values, because a rounded mean leaves equal differences a tiny deviation.
  if (std::ranges::adjacent_find(differences, std::not_equal_to{}) == differences.end()) {
    return all_equal(n, differences.front());
  }
  PairedT test{.n = n, .mean = mean_of(differences)};
  test.sd = standard_deviation(differences, test.mean);
  test.standard_error = test.sd / std::sqrt(static_cast<double>(n));
  if (!(test.standard_error > 0.0)) return all_equal(n, test.mean);  // squares underflowed
  test.t = test.mean / test.standard_error;
  test.p_value = std::min(1.0, 2.0 * student_t_tail(std::abs(test.t), n - 1));
  // The lower quantile, because 1 - p loses the digits of a confidence next to 1.
  const double reach = -student_t_quantile((1.0 - confidence) / 2.0, n - 1) * test.standard_error;
  test.ci_low = test.mean - reach;
  test.ci_high = test.mean + reach;
  return test;
}

}  // namespace prescope
