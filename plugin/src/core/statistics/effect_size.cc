#include "core/statistics/effect_size.h"

#include <algorithm>
#include <cmath>

#include "core/statistics/distributions.h"

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

}  // namespace prescope
