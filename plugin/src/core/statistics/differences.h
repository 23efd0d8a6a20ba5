#pragma once

#include <cstdint>
#include <span>

namespace prescope {

/// A difference of two scores with binary noise removed: rounded to 1e-12, never -0. To be applied
/// before any zero, tie or rank logic (0.444 - 0.394 is not 0.05 in binary).
[[nodiscard]] double clean_difference(double a, double b) noexcept;

/// How many differences are above, at and below 0.
struct DifferenceCounts {
  std::uint32_t wins = 0, ties = 0, losses = 0;

  [[nodiscard]] std::uint32_t total() const noexcept { return wins + ties + losses; }
  [[nodiscard]] std::uint32_t non_zero() const noexcept { return wins + losses; }
  friend bool operator==(const DifferenceCounts&, const DifferenceCounts&) = default;
};

[[nodiscard]] DifferenceCounts count_differences(std::span<const double> differences) noexcept;

}  // namespace prescope
