#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "prescope/observation.h"
#include "prescope/qrels.h"
#include "search_server.h"
#include "traffic.h"

namespace live_ab {

/// Compares the recorded rankings with the docnos that a searcher without prescope serves from the
/// same snapshot. A ranking depends on snapshot, arm and topic alone. Thread-safe.
class RankingCheck {
 public:
  explicit RankingCheck(const prescope::Qrels& citations) : citations_(citations) {}

  /// The experiment's listener.
  void recorded(const prescope::Observation& observation);
  /// Reads the docnos if this ranking has not been seen yet.
  void served(const Snapshot& snapshot, prescope::ArmIndex arm, const Query& query);

  struct Result {
    std::uint64_t rankings = 0;  ///< compared: distinct, of both sides
    std::uint64_t wrong = 0;     ///< of these, those recorded with other judged documents or ranks
  };
  [[nodiscard]] Result result() const;

 private:
  using Key = std::tuple<std::uint64_t, prescope::ArmIndex, prescope::TopicIndex>;
  using Hits = std::vector<prescope::JudgedHit>;

  const prescope::Qrels& citations_;
  mutable std::mutex mutex_;
  std::map<Key, Hits> served_;
  std::map<Key, std::vector<Hits>> recorded_;  // each different one
};

}  // namespace live_ab
