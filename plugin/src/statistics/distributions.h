#pragma once

#include <cstdint>

#include "statistics/effect_size.h"

/// The distributions that tests and intervals read. Never throw, never give NaN for finite
/// arguments: a tail too far out to have a double is 0, a quantile too far out is infinite.
namespace prescope {

/// P(T > t) of Student's t with `degrees` degrees of freedom, > 0.
[[nodiscard]] double student_t_tail(double t, double degrees) noexcept;
/// The t with P(T <= t) = p, `p` in (0, 1).
[[nodiscard]] double student_t_quantile(double p, double degrees) noexcept;

/// P(Z > z) of the standard normal.
[[nodiscard]] double normal_tail(double z) noexcept;
/// The z with P(Z <= z) = p, `p` in (0, 1).
[[nodiscard]] double normal_quantile(double p) noexcept;

/// P(X >= successes) of `trials` throws of a fair coin, `successes` <= `trials`. Exact but for
/// rounding.
[[nodiscard]] double fair_coin_tail(std::uint64_t successes, std::uint64_t trials) noexcept;

/// ln of the beta function; `a`, `b` > 0.
[[nodiscard]] double log_beta(double a, double b) noexcept;

/// The exact interval of a share of which `k` of `n` >= 1 were seen, `k` <= `n` (Clopper & Pearson
/// 1934); `confidence` in (0, 1), two-sided. A one-sided bound of confidence c is an end of the
/// interval of confidence 2c - 1.
[[nodiscard]] ProportionInterval clopper_pearson_interval(std::uint64_t k, std::uint64_t n,
                                                          double confidence);

}  // namespace prescope
