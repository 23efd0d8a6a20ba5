#include "statistics/distributions.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace prescope {

namespace {

namespace policies = boost::math::policies;

using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;
using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;

}  // namespace

// The complements keep their digits where the distribution function itself is next to 1.

double student_t_tail(double t, double degrees) noexcept {
  return cdf(complement(StudentsT(degrees), t));
}

double student_t_quantile(double p, double degrees) noexcept {
  return p > 0.5 ? quantile(complement(StudentsT(degrees), 1.0 - p))
                 : quantile(StudentsT(degrees), p);
}

double normal_tail(double z) noexcept { return cdf(complement(Normal(), z)); }

double normal_quantile(double p) noexcept { return quantile(Normal(), p); }

double fair_coin_tail(std::uint64_t successes, std::uint64_t trials) noexcept {
  if (successes == 0) return 1.0;
  return boost::math::ibeta(static_cast<double>(successes),
                            static_cast<double>(trials - successes + 1), 0.5, Quiet());
}

double log_beta(double a, double b) noexcept {
  using boost::math::lgamma;
  return lgamma(a, Quiet()) + lgamma(b, Quiet()) - lgamma(a + b, Quiet());
}

ProportionInterval clopper_pearson_interval(std::uint64_t k, std::uint64_t n, double confidence) {
  const double outside = (1.0 - confidence) / 2.0;
  const auto seen = static_cast<double>(k), rest = static_cast<double>(n - k);
  return {.low = k == 0 ? 0.0 : boost::math::ibeta_inv(seen, rest + 1.0, outside),
          .high = k == n ? 1.0 : boost::math::ibetac_inv(seen + 1.0, rest, outside)};
}

}  // namespace prescope
