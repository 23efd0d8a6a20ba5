#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "live/query_path/unjudged_lanes.h"
#include "prescope/query_scope.h"
#include "prescope/search_start.h"
#include "prescope/types.h"

namespace prescope {

class Experiment;
class QueryScope;

/// What the query path keeps of a thread. All that an unjudged query reads is in the first line of
/// the cache: after a search, fetching is what takes time.
struct alignas(64) QueryThread {
  QueryScope* scope = nullptr;  ///< the innermost, or null

  /// The experiment of `scope`, where that is of an unjudged query that is counted on a lane.
  const Experiment* unjudged_of = nullptr;
  /// The same, where the lane has room and the next ranking took from `started` until it is
  /// observed.
  const Experiment* first_unjudged_of = nullptr;
  Ticks started = 0;
  std::optional<ArmIndex> arm{};  ///< of the scope
  UnjudgedLane::Writer lane{};

  alignas(64) UnjudgedLanes::Key lane_key{};
};

static_assert(offsetof(QueryThread, lane_key) == 64, "the rest is one line of the cache");

/// initial-exec, which its definition must say too: reading it never allocates, not even in a
/// library that was loaded at run time.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] extern constinit thread_local QueryThread query_thread;

inline QueryThread& SearchStart::query_thread_here() const noexcept {
#if defined(__GNUC__) && !defined(__clang__)
  if (offset_ != 0) [[likely]] {
    return *reinterpret_cast<QueryThread*>(static_cast<char*>(__builtin_thread_pointer()) +
                                           offset_);
  }
#endif
  return query_thread;
}

inline QueryScope* QueryScope::current_of(const Experiment& experiment) noexcept {
  return current_of(experiment, query_thread);
}

inline QueryScope* QueryScope::current_of(const Experiment& experiment,
                                          const QueryThread& here) noexcept {
  QueryScope* const scope = here.scope;
  return scope != nullptr && scope->experiment_ == &experiment ? scope : nullptr;
}

inline bool QueryScope::take_answer(QueryThread& here) noexcept {
  here.first_unjudged_of = nullptr;
  return !std::exchange(observed_, true);
}

}  // namespace prescope
