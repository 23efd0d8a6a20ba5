#pragma once

#include <atomic>
#include <cstdint>

#include "prescope/experiment.h"
#include "ranking_check.h"
#include "search_server.h"
#include "traffic.h"

namespace live_ab {

/// Serves one query, from any thread of the server. Its use of prescope is that of any host with
/// these modes.
class Serving {
 public:
  /// All must outlive this object, and shadow searches; `check` may be null.
  Serving(const SearchServer& server, prescope::Experiment& experiment, prescope::Mode mode,
          RankingCheck* check)
      : server_(server), experiment_(experiment), mode_(mode), check_(check) {}

  /// Exceptions of the search pass through.
  void answer(const Query& query);
  /// Number of shadow searches accepted so far.
  [[nodiscard]] std::uint64_t shadows_taken() const noexcept { return shadows_taken_; }

 private:
  [[nodiscard]] prescope::Visit begin_visit(const Query& query) noexcept;
  [[nodiscard]] prescope::ArmIndex choose_arm(const Query& query) const noexcept;

  const SearchServer& server_;
  prescope::Experiment& experiment_;
  prescope::Mode mode_;
  RankingCheck* check_;
  std::atomic<std::uint64_t> shadows_taken_{0};
};

}  // namespace live_ab
