#include "cli/replay_facts.h"

#include <optional>

#include "core/run_record.h"
#include "live/observation_facts.h"

namespace prescope::cli {

void ReplayFacts::add(const Observation& observation) {
  if (observation.topic == kUnjudgedTopic) return;
  served_[observation.topic] = {
      .num_ret = observation.num_ret,
      .duplicates = observation.duplicates,
      .hits = {observation.hits.begin(), observation.hits.end()},
      .latency = is_timed(observation) ? std::optional(observation.latency) : std::nullopt};
}

std::vector<EvaluationRecord::Topic> ReplayFacts::topics(const Qrels& qrels) const {
  std::vector<EvaluationRecord::Topic> topics = unserved_topics(qrels);
  for (const auto& [index, served] : served_) {
    const TopicQrels& judged = qrels.topic(index);
    EvaluationRecord::Topic& topic = topics[index.value()];
    topic.served = true;
    topic.num_ret = served.num_ret;
    topic.duplicates = served.duplicates;
    topic.latency = served.latency;
    for (const JudgedHit& hit : served.hits) {
      if (!judged.is_relevant(hit.judgement)) continue;
      topic.found.push_back({judged.judgements()[hit.judgement.value()].docno, hit.rank});
    }
  }
  return topics;
}

}  // namespace prescope::cli
