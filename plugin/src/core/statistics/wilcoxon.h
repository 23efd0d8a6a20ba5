#pragma once

#include <cstdint>
#include <span>

namespace prescope {

/// What becomes of differences of 0.
enum class ZeroRule {
  kDrop,   ///< Wilcoxon 1945: removed before ranks are given
  kPratt,  ///< Pratt 1959: ranked with the others, then their ranks are dropped
};

/// Wilcoxon's signed-rank test, normal approximation without continuity correction, equal
/// magnitudes at their middle rank.
struct Wilcoxon {
  std::uint32_t ranked = 0;           ///< differences that were ranked
  double rank_sum_up = 0.0;           ///< of those above 0 (T+)
  double rank_sum_down = 0.0;         ///< of those below 0 (T-)
  double mean = 0.0, variance = 0.0;  ///< of T+ where signs are random
  double z = 0.0;                     ///< above 0 where differences above 0 have the higher ranks
  double p_value = 1.0;               ///< two-sided; 1 where all differences are 0
};

/// Differences must be clean (`clean_difference`), or noise parts what is tied.
[[nodiscard]] Wilcoxon wilcoxon(std::span<const double> differences,
                                ZeroRule zeros = ZeroRule::kDrop);

}  // namespace prescope
