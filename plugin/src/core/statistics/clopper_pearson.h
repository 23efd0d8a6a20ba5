#pragma once

#include <cstdint>

#include "core/statistics/effect_size.h"

namespace prescope {

/// The exact interval of a share of which `k` of `n` >= 1 were seen, `k` <= `n` (Clopper & Pearson
/// 1934); `confidence` in (0, 1), two-sided. A one-sided bound of confidence c is an end of the
/// interval of confidence 2c - 1.
[[nodiscard]] ProportionInterval clopper_pearson_interval(std::uint64_t k, std::uint64_t n,
                                                          double confidence);

}  // namespace prescope
