#include "core/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <limits>

namespace prescope {
namespace {

namespace policies = boost::math::policies;

// A tail too far out to have a double is 0 or infinite, not an exception.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;
using StudentsT = boost::math::students_t_distribution<double, Quiet>;

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

double clean_difference(double a, double b) noexcept {
  constexpr double kSteps = 1e12;
  // Adding 0 makes +0 of -0.
  return std::round((a - b) * kSteps) / kSteps + 0.0;
}

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
  const StudentsT null_distribution(n - 1);
  const double tail = cdf(complement(null_distribution, std::abs(test.t)));
  test.p_value = std::min(1.0, 2.0 * tail);
  const double reach =
      quantile(complement(null_distribution, (1.0 - confidence) / 2.0)) * test.standard_error;
  test.ci_low = test.mean - reach;
  test.ci_high = test.mean + reach;
  return test;
}

}  // namespace prescope
