#pragma once

#include <cstdint>

#include "prescope/query_clock.h"

namespace prescope {

struct QueryThread;

/// When a search was called, and where prescope keeps what belongs to the thread that called it: a
/// QueryScope has just been there, whereas after the search finding the place again takes as long
/// as all else that is done for an unjudged query.
class SearchStart {
 public:
  /// Now, for any thread to observe. No lock, no allocation, no system call.
  [[nodiscard]] static SearchStart now() noexcept;
  /// For an adapter that knows the time alone.
  SearchStart(QueryClock::time_point time = {}) noexcept : time_(time) {}

  [[nodiscard]] QueryClock::time_point time() const noexcept { return time_; }

 private:
  friend class RankingObserver;
  [[nodiscard]] QueryThread& query_thread_here() const noexcept;

  QueryClock::time_point time_;
  std::intptr_t offset_ = 0;  // from any thread's own address, 0 where it is to be looked up
};

}  // namespace prescope
