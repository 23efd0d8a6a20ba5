#include "core/run_record.h"

#include <fmt/format.h>

#include <algorithm>

namespace prescope {
namespace {

void add_served(const TopicQrels& judged, const TopicRanking& ranking,
                EvaluationRecord::Topic& topic) {
  topic.served = true;
  topic.num_ret = ranking.num_ret;
  for (const RankedJudgement& document : ranking.judged) {
    if (!judged.is_relevant(document.judgement)) continue;
    topic.found.push_back({judged.judgements()[document.judgement.value()].docno, document.rank});
  }
}

}  // namespace

std::vector<EvaluationRecord::Topic> unserved_topics(const Qrels& qrels) {
  std::vector<EvaluationRecord::Topic> topics;
  topics.reserve(qrels.topics().size());
  for (const TopicQrels& judged : qrels.topics()) {
    topics.push_back({.id = judged.id(), .num_rel = judged.num_rel(), .served = false});
  }
  return topics;
}

EvaluationRecord record_of_run(const Qrels& qrels, const RunFacts& facts,
                               const RankOptions& ranks) {
  EvaluationRecord record{.arm = facts.tag,
                          .source = fmt::format("run {}", facts.path),
                          .qrels = qrels_version(qrels),
                          .topics = unserved_topics(qrels)};
  TopicRanking ranking;
  for (const RunFacts::Topic& served : facts.topics) {
    EvaluationRecord::Topic& topic = record.topics[served.topic.value()];
    rank_topic(qrels, facts, served, ranks, ranking);
    add_served(qrels.topic(served.topic), ranking, topic);
    topic.duplicates = served.duplicates;
    record.depth = std::max(record.depth, topic.num_ret);
  }
  return record;
}

}  // namespace prescope
