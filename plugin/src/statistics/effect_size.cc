#include "statistics/effect_size.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"

namespace prescope {

namespace {

/// Hedges' J = Gamma(v / 2) / (Gamma((v - 1) / 2) sqrt(v / 2)).
double small_sample_factor(double degrees) {
  return std::exp(std::lgamma(degrees / 2.0) - std::lgamma((degrees - 1.0) / 2.0)) /
         std::sqrt(degrees / 2.0);
}

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

namespace {

/// P of a mean at least this far above `bound`, were `bound` the true one.
double p_above(const PairedT& t, double bound) {
  const double above = t.mean - bound;
  if (t.standard_error == 0.0) return above > 0.0 ? 0.0 : 1.0;
  return student_t_tail(above / t.standard_error, t.n - 1);
}

double p_below(const PairedT& t, double bound) {
  const double below = bound - t.mean;
  if (t.standard_error == 0.0) return below > 0.0 ? 0.0 : 1.0;
  return student_t_tail(below / t.standard_error, t.n - 1);
}

}  // namespace

std::optional<NonInferiority> non_inferiority(std::span<const double> differences, double margin,
                                              double confidence) {
  using Answer = NonInferiority::Answer;
  // Each end of a two-sided interval of 2c - 1 is a one-sided bound of c.
  const std::optional<PairedT> t = paired_t(differences, 2.0 * confidence - 1.0);
  if (!t) return std::nullopt;
  return NonInferiority{.t = *t,
                        .low = t->ci_low,
                        .high = t->ci_high,
                        .p_not_inferior = p_above(*t, -margin),
                        .p_not_superior = p_below(*t, margin),
                        .answer = t->ci_low > -margin    ? Answer::kNotInferior
                                  : t->ci_high < -margin ? Answer::kInferior
                                                         : Answer::kUnknown};
}

}  // namespace prescope
