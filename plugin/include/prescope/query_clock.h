#pragma once

#include <chrono>

namespace prescope {

/// The clock that queries are timed by: steady, in nanoseconds from a beginning of its own, so that
/// only its own times can be compared. Read from the processor's counter where the system's clock
/// is (Linux on x86-64, once there is an experiment), else from std::chrono::steady_clock: after a
/// search, the system's code and data for reading a clock are out of the caches, and getting them
/// back takes longer than all that is done for an unjudged query. Runs as fast as steady_clock, to
/// 0.1 %.
struct QueryClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<QueryClock>;
  static constexpr bool is_steady = true;

  /// Any thread; no lock, no allocation, no system call.
  [[nodiscard]] static time_point now() noexcept;
};

}  // namespace prescope
