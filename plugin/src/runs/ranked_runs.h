#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prescope/judged_ranking.h"
#include "prescope/qrels.h"
#include "prescope/summary.h"
#include "prescope/types.h"
#include "runs/evaluation.h"
#include "runs/run_facts.h"

namespace prescope {

/// Runs, or arms, reduced to what scores are made of: where each has the judged documents of each
/// topic. Scoring them under other judgements needs no file again.
struct RankedRuns {
  struct Topic {
    TopicId id{};
    std::vector<Grade> grades{};  ///< by judgement, in the order of the keys
    Grade min_grade = 1;
    std::uint32_t num_rel = 0;
  };
  struct Run {
    /// By topic; nothing if the topic is in no mean of the run.
    std::vector<std::optional<JudgedRanking>> rankings{};
  };

  std::vector<Topic> topics{};
  std::vector<Run> runs{};
  /// Documents whose judgement is not there are removed and others move up (RankOptions).
  bool judged_only = false;
};

/// Of run files. Topics are those of the qrels.
[[nodiscard]] RankedRuns ranked_runs(const Qrels& qrels, std::span<const RunFacts* const> runs,
                                     const EvaluateOptions& options = {});

/// Of arms of a live experiment, as they last served each topic: of `arms[i]` the i-th run. Topics
/// that an arm has not served, or whose ranking awaits its score, are nothing there.
[[nodiscard]] RankedRuns ranked_arms(std::span<const TopicDetail> topics,
                                     std::span<const ArmIndex> arms);

}  // namespace prescope
