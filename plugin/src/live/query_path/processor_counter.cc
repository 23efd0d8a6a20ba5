#include "live/query_path/processor_counter.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace prescope {

constinit CounterScale counter_scale;

QueryClock::time_point query_clock_at(Ticks ticks) noexcept {
  if (!counter_scale.keeps_time.load(std::memory_order_acquire)) {
    return QueryClock::time_point(std::chrono::steady_clock::now().time_since_epoch());
  }
  return QueryClock::time_point(std::chrono::nanoseconds(counter_scale.first_ns) +
                                nanoseconds_of(ticks - counter_scale.first_ticks));
}

QueryClock::time_point QueryClock::now() noexcept { return query_clock_at(ticks_now()); }

#if PRESCOPE_HAS_COUNTER
namespace {

using std::chrono::steady_clock;

struct Reading {
  Ticks ticks = 0;
  std::int64_t ns = 0;
};

/// Both clocks at the same moment: of some attempts the one that took the shortest time.
Reading read_both() noexcept {
  constexpr int kAttempts = 20;
  Reading best;
  Ticks shortest = std::numeric_limits<Ticks>::max();
  for (int i = 0; i < kAttempts; ++i) {
    const Ticks before = ticks_now();
    const std::int64_t ns = steady_clock::now().time_since_epoch().count();
    const Ticks took = ticks_now() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, ns};
  }
  return best;
}

const Reading at_start = read_both();

/// Then the system has found it to be steady, and the same on all processors.
bool is_the_systems_clock() noexcept {
  try {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name;
    return std::getline(file, name) && name == "tsc";
  } catch (...) {
    return false;
  }
}

void measure() noexcept {
  // Both readings are some 20 ns exact.
  constexpr std::chrono::nanoseconds kLongEnough = std::chrono::milliseconds(2);
  const std::chrono::nanoseconds so_far(read_both().ns - at_start.ns);
  if (so_far < kLongEnough) std::this_thread::sleep_for(kLongEnough - so_far);
  const Reading now = read_both();
  if (now.ticks <= at_start.ticks) return;
  const double ns_per_tick = double(now.ns - at_start.ns) / double(now.ticks - at_start.ticks);
  counter_scale.ns_per_tick = std::llround(std::ldexp(ns_per_tick, 32));
  counter_scale.first_ticks = now.ticks;
  counter_scale.first_ns = now.ns;
  counter_scale.keeps_time.store(is_the_systems_clock(), std::memory_order_release);
}

}  // namespace

void measure_counter() noexcept { [[maybe_unused]] static const bool done = (measure(), true); }
#else
void measure_counter() noexcept {}
#endif

}  // namespace prescope
