#pragma once

#include "prescope/judged_ranking.h"
#include "prescope/qrels.h"
#include "prescope/types.h"
#include "runs/evaluation.h"
#include "runs/run_facts.h"

namespace prescope {

/// Runs or arms reduced to the ranks of each topic's judged documents, from which they can be
/// scored under other judgements without reading a file again.
struct RankedRuns {
  struct Topic {
    TopicId id{};
    std::vector<Grade> grades{};  ///< by judgement, in the order of the keys
    Grade min_grade = 1;
    std::uint32_t num_rel = 0;
  };
  struct Run {
    /// A ranking for each topic; std::nullopt if the topic is in no mean of the run.
    std::vector<std::optional<JudgedRanking>> rankings{};
  };

  std::vector<Topic> topics{};
  std::vector<Run> runs{};
  /// Removes documents without a judgement; others move up (RankOptions).
  bool judged_only = false;
};

/// Returns the rankings of run files. Topics are those of the qrels.
[[nodiscard]] RankedRuns ranked_runs(const Qrels& qrels, std::span<const RunFacts* const> runs,
                                     const EvaluateOptions& options = {});

}  // namespace prescope
