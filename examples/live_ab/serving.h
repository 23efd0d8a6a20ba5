#pragma once

#include <atomic>
#include <cstdint>

#include "prescope/experiment.h"
#include "ranking_check.h"
#include "search_server.h"
#include "traffic.h"

namespace live_ab {

/// Serves one query, from any thread of the server, in the same way in each mode.
class Serving {
 public:
  /// All must outlive this object, and shadow searches; `check` may be null.
  Serving(const SearchServer& server, prescope::Experiment& experiment, prescope::Mode mode,
          RankingCheck* check)
      : server_(server), experiment_(experiment), mode_(mode), check_(check) {}

  /// Exceptions of the search pass through.
  void answer(const Query& query);
  /// Number of searches so far, those for comparison among them.
  [[nodiscard]] std::uint64_t searches() const noexcept { return searches_; }

 private:
  const SearchServer& server_;
  prescope::Experiment& experiment_;
  prescope::Mode mode_;
  RankingCheck* check_;
  std::atomic<std::uint64_t> searches_{0};
};

}  // namespace live_ab
