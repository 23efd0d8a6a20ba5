#pragma once

#include <cstdint>
#include <optional>

#include "core/statistics/differences.h"
#include "core/statistics/paired_t.h"

namespace prescope {

struct ProportionInterval {
  double low = 0.0, high = 1.0;
};

/// Wilson's score interval of a share of `n` >= 1, `confidence` in (0, 1).
[[nodiscard]] ProportionInterval wilson_interval(double share, std::uint32_t n, double confidence);

/// How large a difference is, apart from how sure one is of it.
struct EffectSize {
  /// Mean over standard deviation of the differences. None where the deviation is 0.
  std::optional<double> d_z{};
  /// d_z less its bias in small samples (Hedges). None for fewer than 3 differences as well.
  std::optional<double> g_z{};
  double superiority = 0.5;  ///< (wins + ties / 2) / n
  ProportionInterval superiority_interval{};
};

/// `counts` and `test` of the same differences.
[[nodiscard]] EffectSize effect_size(const PairedT& test, const DifferenceCounts& counts,
                                     double confidence = 0.95);

}  // namespace prescope
