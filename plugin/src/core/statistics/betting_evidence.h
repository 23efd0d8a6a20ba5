#pragma once

#include <span>

/// Evidence that needs no assumption but the range of the values, at the price of more topics: the
/// wealth of players who bet on each value (Waudby-Smith & Ramdas 2024), with bets fixed beforehand
/// so that the order of the values does not matter.
namespace prescope {

/// What the bets against "the mean is m" have won, as ln of e-values.
struct BettingEvidence {
  double log_e_above = 0.0;  ///< against "the mean is at most m"
  double log_e_below = 0.0;  ///< against "the mean is at least m"

  /// Against "the mean is m": half of it on each side.
  [[nodiscard]] double log_e_different() const noexcept;
};

/// The bets on `values` in [-1, 1], one for each topic; `null_mean` in [-1 + 1e-9, 1 - 1e-9].
/// Differs from the sum of 16 logarithms a value by rounding only, at 16 multiplications a value.
[[nodiscard]] BettingEvidence betting_evidence(std::span<const double> values,
                                               double null_mean = 0.0) noexcept;

struct BettingInterval {
  double low = -1.0, high = 1.0;
};
/// The means in [-1, 1] against which the evidence is below 2 / alpha on either side. `values` in
/// [-1, 1], one for each topic; `alpha` in (0, 1). O(values) for each of some 50 means.
[[nodiscard]] BettingInterval betting_interval(std::span<const double> values, double alpha = 0.05);

}  // namespace prescope
