#pragma once

#include <cstdint>
#include <functional>

#include "prescope/experiment.h"

namespace prescope::conformance {

// Programs outside this project do not define the first of these.
#if defined(PRESCOPE_UNDER_SANITIZER) || defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
/// False under a sanitizer that has replaced malloc itself, and with a C library that has no other
/// name for it: allocations are not counted.
#define PRESCOPE_MALLOC_IS_NOT_REPLACED
inline constexpr bool kAllocationsAreCounted = false;
#else
inline constexpr bool kAllocationsAreCounted = true;
#endif

/// Returns how often the calling thread called malloc while `work` ran, libraries included. Only
/// for programs that link the objects `count_allocations`, which replace malloc. Calls do not nest.
[[nodiscard]] std::uint64_t allocations_in(const std::function<void()>& work);

/// Observes a ranking and abandons it: a thread's first judged ranking makes the buffer that all
/// later ones use.
inline void make_buffer_of_this_thread(Experiment& experiment, const TopicId& topic) {
  const QueryScope scope(experiment, topic);
  RankingObserver observer(experiment, {.kind = HitKind::kDocnos});
  observer.abandon();
}

}  // namespace prescope::conformance
