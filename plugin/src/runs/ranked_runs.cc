#include "runs/ranked_runs.h"

namespace prescope {

RankedRuns ranked_runs(const Qrels& qrels, std::span<const RunFacts> runs,
                       const EvaluateOptions& options) {
  RankedRuns ranked{.qrels = qrels, .judged_only = options.ranks.judged_only};
  const bool has_all = options.topics == EvaluateOptions::Topics::kAll;
  for (const RunFacts& facts : runs) {
    RankedRuns::Run& run = ranked.runs.emplace_back(
        qrels.topics().size(), has_all ? std::optional(JudgedRanking()) : std::nullopt);
    for (const RunFacts::Topic& topic : facts.topics) {
      run[topic.topic.value()] = judged_ranking(qrels, facts, topic, options.ranks);
    }
  }
  return ranked;
}

}  // namespace prescope
