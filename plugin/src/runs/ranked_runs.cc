#include "runs/ranked_runs.h"

namespace prescope {

namespace {

RankedRuns::Topic ranked_topic(const TopicQrels& judged, Grade min_grade) {
  RankedRuns::Topic topic{.id = judged.id(), .min_grade = min_grade, .num_rel = judged.num_rel()};
  for (const Judgement& judgement : judged.judgements()) topic.grades.push_back(judgement.grade);
  return topic;
}

RankedRuns::Run run_of(const Qrels& qrels, const RunFacts& facts, const EvaluateOptions& options) {
  RankedRuns::Run run;
  const bool has_all = options.topics == EvaluateOptions::Topics::kAll;
  run.rankings.resize(qrels.topics().size(),
                      has_all ? std::optional<JudgedRanking>(std::in_place) : std::nullopt);
  for (const RunFacts::Topic& topic : facts.topics) {
    run.rankings[topic.topic.value()] = judged_ranking(qrels, facts, topic, options.ranks);
  }
  return run;
}

}  // namespace

RankedRuns ranked_runs(const Qrels& qrels, std::span<const RunFacts* const> runs,
                       const EvaluateOptions& options) {
  RankedRuns ranked{.judged_only = options.ranks.judged_only};
  for (const TopicQrels& topic : qrels.topics()) {
    ranked.topics.push_back(ranked_topic(topic, qrels.min_grade()));
  }
  for (const RunFacts* facts : runs) ranked.runs.push_back(run_of(qrels, *facts, options));
  return ranked;
}

}  // namespace prescope
