#pragma once

#include <utility>

#include "live/query_thread.h"
#include "prescope/query_scope.h"

namespace prescope {

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
