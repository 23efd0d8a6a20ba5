#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "core/statistics/compensated_sum.h"

/// Evidence that needs no assumption but the range of the values, at the price of more topics: the
/// wealth of players who bet on each value (Waudby-Smith & Ramdas 2024), with bets fixed beforehand
/// so that the order of the values does not matter.
namespace prescope {

/// The bets against "the mean is `null_mean`" of values in [-1, 1], one for each topic. O(1) in
/// memory and in time.
class BettingEvidence {
 public:
  /// `null_mean` in (-1, 1).
  explicit BettingEvidence(double null_mean = 0.0) noexcept : null_mean_(null_mean) {}

  /// The first value of a topic, in [-1, 1].
  void add(double value) noexcept { bet(value, 1.0); }
  /// A topic's value has changed, as a mean does with a new visit.
  void replace(double before, double now) noexcept {
    bet(now, 1.0);
    bet(before, -1.0);
  }
  /// Bets on other topics against the same mean.
  void merge(const BettingEvidence& others) noexcept;

  /// ln of the e-value against "the mean is at most null_mean".
  [[nodiscard]] double log_e_above() const noexcept { return log_wealth(above_); }
  /// ln of the e-value against "the mean is at least null_mean".
  [[nodiscard]] double log_e_below() const noexcept { return log_wealth(below_); }
  /// ln of the e-value against "the mean is null_mean": half of it on each side.
  [[nodiscard]] double log_e_different() const noexcept;

 private:
  static constexpr std::size_t kBets = 8;
  using LogWealths = std::array<CompensatedSum, kBets>;

  void bet(double value, double times) noexcept;
  [[nodiscard]] static double log_wealth(const LogWealths& wealths) noexcept;

  double null_mean_;
  LogWealths above_{}, below_{};
};

struct BettingInterval {
  double low = -1.0, high = 1.0;
};
/// The means in [-1, 1] against which the evidence is below 2 / alpha on either side. `values` in
/// [-1, 1], one for each topic; `alpha` in (0, 1). O(values) for each of some 50 means.
[[nodiscard]] BettingInterval betting_interval(std::span<const double> values, double alpha = 0.05);

}  // namespace prescope
