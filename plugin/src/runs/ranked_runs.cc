#include "runs/ranked_runs.h"

#include <algorithm>
#include <limits>

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
    const TopicRanking ranking = rank_topic(qrels, facts, topic, options.ranks);
    run.rankings[topic.topic.value()] = {.num_ret = ranking.num_ret, .hits = hits_of(ranking)};
  }
  return run;
}

/// A live topic marks each document as relevant or not; the grade that separates them follows.
Grade min_grade_of(const TopicDetail& detail) {
  Grade least = std::numeric_limits<Grade>::max();
  for (const TopicDetail::Citation& citation : detail.citations) {
    if (citation.relevant) least = std::min(least, citation.grade);
  }
  return least;
}

RankedRuns::Topic ranked_topic(const TopicDetail& detail) {
  RankedRuns::Topic topic{
      .id = detail.row.id, .min_grade = min_grade_of(detail), .num_rel = detail.row.num_rel};
  for (const auto& citation : detail.citations) topic.grades.push_back(citation.grade);
  return topic;
}

std::optional<JudgedRanking> ranking_of(const TopicDetail& detail, ArmIndex arm) {
  const TopicRow::Arm& row = detail.row.arms[arm.value()];
  if (!row.seen || row.awaiting) return std::nullopt;
  JudgedRanking ranking{.num_ret = row.num_ret};
  for (std::uint32_t i = 0; i < detail.citations.size(); ++i) {
    const auto& place = detail.citations[i].arms[arm.value()];
    if (place.rank) ranking.hits.push_back({*place.rank, JudgementIndex(i)});
  }
  std::ranges::sort(ranking.hits, {}, &JudgedHit::rank);
  return ranking;
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

RankedRuns ranked_arms(std::span<const TopicDetail> topics, std::span<const ArmIndex> arms) {
  RankedRuns ranked;
  ranked.runs.resize(arms.size());
  for (const TopicDetail& topic : topics) {
    ranked.topics.push_back(ranked_topic(topic));
    for (std::size_t i = 0; i < arms.size(); ++i) {
      ranked.runs[i].rankings.push_back(ranking_of(topic, arms[i]));
    }
  }
  return ranked;
}

}  // namespace prescope
