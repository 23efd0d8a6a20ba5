#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "prescope/query_clock.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#define PRESCOPE_HAS_COUNTER 1
#else
#define PRESCOPE_HAS_COUNTER 0
#endif

namespace prescope {

/// What the processor counts; where it is not known how to ask it, nanoseconds of steady_clock.
using Ticks = std::int64_t;

/// How ticks become nanoseconds, and a QueryClock's time. Written once, before the first query.
struct CounterScale {
  std::int64_t ns_per_tick = PRESCOPE_HAS_COUNTER ? 0 : std::int64_t{1} << 32U;  ///< in 2^-32
  Ticks first_ticks = 0;
  std::int64_t first_ns = 0;  ///< of steady_clock
  /// Whether that is QueryClock's time; else it is steady_clock's.
  std::atomic<bool> keeps_time{!PRESCOPE_HAS_COUNTER};
};
extern constinit CounterScale counter_scale;

/// Finds out how fast the processor counts, and whether the system trusts it to keep the time.
/// Takes 2 ms from the start of the program, once. Any thread.
void measure_counter() noexcept;

/// The nanoseconds of some ticks, once measured. Exact to 0.1 %.
[[nodiscard]] inline std::chrono::nanoseconds nanoseconds_of(Ticks ticks) noexcept {
  __extension__ using Wide = __int128;
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>((Wide{ticks} * counter_scale.ns_per_tick) >> 32U));
}

/// QueryClock's time at `ticks`, which are those of now.
[[nodiscard]] QueryClock::time_point query_clock_at(Ticks ticks) noexcept;

/// Those of now, after all that was begun before. Compiled into the query path: a call would be
/// another line of code to fetch.
[[gnu::always_inline]] inline Ticks ticks_now() noexcept {
#if PRESCOPE_HAS_COUNTER
  _mm_lfence();
  return static_cast<Ticks>(__rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

}  // namespace prescope
