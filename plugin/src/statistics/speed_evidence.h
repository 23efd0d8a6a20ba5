#pragma once

#include <numbers>

#include "statistics/evidence.h"

namespace prescope {

/// The evidence about which of two arms is faster, from ln(B / A) of visits in the order of time.
/// A visit without two comparable latencies counts against either arm: it has two values, the least
/// and the most that it may be. Both are limited to a factor of 2, so that the ratio of a visit
/// that was not timed has a bound. At most 8 kB; not thread-safe.
class SpeedEvidence {
 public:
  struct Bounds {
    double least = -std::numbers::ln2, most = std::numbers::ln2;  ///< of ln(B / A)
  };
  /// A verdict needs this many blocks, the shortest of which have `kShortest` visits.
  static constexpr std::uint32_t kFewest = 256, kShortest = 2;
  static constexpr std::uint32_t kFewestVisits = kFewest * kShortest;

  /// Adds a visit. O(1), but when neighbouring blocks are merged.
  void add(Bounds log_ratio);

  [[nodiscard]] std::uint64_t visits() const noexcept { return visits_; }
  /// Returns the means over all visits; 0 without one.
  [[nodiscard]] Bounds mean() const noexcept;
  /// Returns what can be said. `alpha` in (0, 1). O(blocks).
  [[nodiscard]] LatencyState state(double alpha) const;

 private:
  [[nodiscard]] static Bounds average(const Bounds& a, const Bounds& b) noexcept;
  [[nodiscard]] std::vector<double> means(double Bounds::*end) const;

  std::uint64_t visits_ = 0;
  std::uint32_t length_ = kShortest, in_current_ = 0;
  Bounds sum_{0.0, 0.0}, current_{0.0, 0.0};  // over all visits; over the visits of the block
  std::vector<Bounds> full_;                  // means of full blocks
};

/// Returns how much the means of blocks vary for their number, >= 1: the largest variance of the
/// means of longer blocks, by the variance that independent blocks would have. Longer blocks are
/// joined from 2, 4, 8 and so on neighbours, while there are 8 or more. std::nullopt if the blocks
/// depend on each other too strongly to tell: the ratio is above 2.5, or above 4 with the variance
/// of the 4 to 7 longest ones.
[[nodiscard]] std::optional<double> variance_inflation(std::vector<double> means);

}  // namespace prescope
