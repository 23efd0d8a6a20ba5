#pragma once

#include <array>
#include <optional>

#include "prescope/types.h"

namespace prescope {

/// The times at which topics first counted, thinned, for the rate at which they come. 1 KB; not
/// thread-safe.
class Arrivals {
 public:
  /// Times may go back, as clocks do; an earlier time counts as the latest one. O(1), but for one
  /// time in 64.
  void add(UtcTime time) noexcept;
  /// Returns how many come in an hour, by the last quarter of the time from the first one to `now`.
  /// Nothing if fewer than 10 have come, or within less than a minute.
  [[nodiscard]] std::optional<double> per_hour(UtcTime now) const noexcept;

 private:
  static constexpr std::size_t kMost = 128;

  std::array<UtcTime, kMost> times_{};  // of every `stride_`-th one
  std::size_t kept_ = 0;
  std::uint64_t count_ = 0, stride_ = 1;
  UtcTime first_{}, latest_{};
};

}  // namespace prescope
