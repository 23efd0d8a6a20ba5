#pragma once

#include <cstdint>
#include <functional>

#include "prescope/ranking_observer.h"

namespace prescope::conformance {

/// False if allocations are not counted: under a sanitizer, which has replaced malloc itself, and
/// with a C library that has no other name for it. Set before main() begins.
extern const bool kAllocationsAreCounted;

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
