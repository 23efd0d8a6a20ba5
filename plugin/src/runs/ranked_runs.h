#pragma once

#include "runs/evaluation.h"

namespace prescope {

/// Runs reduced to the ranks of each topic's judged documents, from which they can be scored under
/// fewer judgements without reading a file again.
struct RankedRuns {
  /// A ranking for each topic of the qrels; std::nullopt if the topic is in no mean of the run.
  using Run = std::vector<std::optional<JudgedRanking>>;

  Qrels qrels{};
  std::vector<Run> runs{};
  /// Removes documents without a judgement; others move up (RankOptions).
  bool judged_only = false;
};

[[nodiscard]] RankedRuns ranked_runs(const Qrels& qrels, std::span<const RunFacts> runs,
                                     const EvaluateOptions& options = {});

}  // namespace prescope
