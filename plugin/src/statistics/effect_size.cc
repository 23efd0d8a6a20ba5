#include "statistics/effect_size.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace prescope {

namespace {

/// Hedges' J = Gamma(v / 2) / (Gamma((v - 1) / 2) sqrt(v / 2)).
double small_sample_factor(double degrees) {
  return std::exp(std::lgamma(degrees / 2.0) - std::lgamma((degrees - 1.0) / 2.0)) /
         std::sqrt(degrees / 2.0);
}

/// Returns the P of a mean at least this far beyond a bound, were the bound the true mean.
double p_beyond(const PairedT& t, double distance) {
  if (t.standard_error == 0.0) return distance > 0.0 ? 0.0 : 1.0;
  return student_t_tail(distance / t.standard_error, t.n - 1);
}

namespace policies = boost::math::policies;

// Unless told otherwise, Boost computes these as long double, whose size depends on the processor,
// and makes a table for that when the library is loaded, which ends a process under valgrind.
using Quiet = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using Binomial = boost::math::binomial_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;

}  // namespace

ProportionInterval wilson_interval(double share, std::uint32_t n, double confidence) {
  const double z = -normal_quantile((1.0 - confidence) / 2.0);
  const double z2n = z * z / n;
  const double middle = share + z2n / 2.0;
  const double reach = std::sqrt(z2n * (share * (1.0 - share) + z2n / 4.0));
  return {.low = std::clamp((middle - reach) / (1.0 + z2n), 0.0, share),
          .high = std::clamp((middle + reach) / (1.0 + z2n), share, 1.0)};
}

EffectSize effect_size(const PairedT& test, const DifferenceCounts& counts, double confidence) {
  EffectSize effect;
  if (test.sd > 0.0) {
    effect.d_z = test.mean / test.sd;
    if (test.n > 2) effect.g_z = *effect.d_z * small_sample_factor(test.n - 1);
  }
  effect.superiority = (counts.wins + counts.ties / 2.0) / test.n;
  effect.superiority_interval = wilson_interval(effect.superiority, test.n, confidence);
  return effect;
}

double minimum_detectable_difference(double sd, std::uint32_t n, const PowerOptions& options) {
  const double degrees = n - 1.0;
  return (student_t_quantile(options.power, degrees) -
          student_t_quantile(options.alpha / 2.0, degrees)) *
         sd / std::sqrt(static_cast<double>(n));
}

std::optional<std::uint64_t> topics_needed(double sd, double difference,
                                           const PowerOptions& options) {
  constexpr double kMost = 9007199254740992.0;
  const double deviations =
      (normal_quantile(options.power) - normal_quantile(options.alpha / 2.0)) * sd / difference;
  const double topics = std::ceil(deviations * deviations + 2.0);
  if (!(topics <= kMost)) return std::nullopt;
  return static_cast<std::uint64_t>(topics);
}

std::optional<NonInferiority> non_inferiority(std::span<const double> differences, double margin,
                                              double confidence) {
  using Answer = NonInferiority::Answer;
  // Each end of a two-sided interval of 2c - 1 is a one-sided bound of c.
  const std::optional<PairedT> t = paired_t(differences, 2.0 * confidence - 1.0);
  if (!t) return std::nullopt;
  return NonInferiority{.t = *t,
                        .p_not_inferior = p_beyond(*t, t->mean + margin),
                        .p_not_superior = p_beyond(*t, margin - t->mean),
                        .answer = t->ci_low > -margin    ? Answer::kNotInferior
                                  : t->ci_high < -margin ? Answer::kInferior
                                                         : Answer::kUnknown};
}

// The complements keep their digits when the distribution function itself is next to 1.

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
  return cdf(
      complement(Binomial(static_cast<double>(trials), 0.5), static_cast<double>(successes - 1)));
}

double log_beta(double a, double b) noexcept {
  using boost::math::lgamma;
  return lgamma(a, Quiet()) + lgamma(b, Quiet()) - lgamma(a + b, Quiet());
}

ProportionInterval clopper_pearson_interval(std::uint64_t k, std::uint64_t n, double confidence) {
  const double outside = (1.0 - confidence) / 2.0;
  const auto seen = static_cast<double>(k), all = static_cast<double>(n);
  return {.low = Binomial::find_lower_bound_on_p(all, seen, outside),
          .high = Binomial::find_upper_bound_on_p(all, seen, outside)};
}

}  // namespace prescope
