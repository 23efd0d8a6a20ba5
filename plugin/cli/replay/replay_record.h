#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nightly/evaluation_record.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"
#include "replay/replay_options.h"

namespace prescope::cli {

/// What a replay of one arm observed, topic by topic. Not thread-safe: observations come one at a
/// time, and are all there when the replay has returned.
class ReplayFacts {
 public:
  void add(const Observation& observation);
  /// All topics of the qrels that were replayed, ascending by id; with the relevant documents that
  /// were found, spelled as in them.
  [[nodiscard]] std::vector<EvaluationRecord::Topic> topics(const Qrels& qrels) const;

 private:
  struct Served {
    std::uint32_t num_ret = 0, duplicates = 0;
    std::vector<JudgedHit> hits;
    std::optional<std::chrono::nanoseconds> latency;
  };
  std::map<TopicIndex, Served> served_;
};

/// Replays the one arm of `options` and keeps the facts: `file` is what the experiment is called in
/// them. Says on stderr which topics were not run. Throws as `replay`.
[[nodiscard]] EvaluationRecord record_of_replay(const ReplayOptions& options,
                                                const std::string& file);

}  // namespace prescope::cli
