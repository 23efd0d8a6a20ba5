#include "ranking_check.h"

#include <algorithm>
#include <set>
#include <string>

namespace live_ab {
namespace {

/// The definition: each judged document counts at the first rank at which it was served.
std::vector<prescope::JudgedHit> judged_among(const prescope::Qrels& citations,
                                              prescope::TopicIndex topic,
                                              const std::vector<std::string>& docnos) {
  const prescope::TopicQrels& judged = citations.topic(topic);
  std::vector<prescope::JudgedHit> hits;
  std::set<prescope::JudgementIndex> found;
  for (std::size_t i = 0; i < docnos.size(); ++i) {
    const auto judgement = judged.find(citations.docnos().key(prescope::Docno{docnos[i]}));
    if (!judgement || !found.insert(*judgement).second) continue;
    hits.push_back({static_cast<prescope::Rank>(i + 1), *judgement});
  }
  return hits;
}

}  // namespace

void RankingCheck::recorded(const prescope::Observation& observation) {
  if (observation.topic == prescope::kUnjudgedTopic) return;
  const Hits hits(observation.hits.begin(), observation.hits.end());
  const std::lock_guard lock(mutex_);
  auto& all = recorded_[{observation.generation, observation.arm, observation.topic}];
  if (std::find(all.begin(), all.end(), hits) == all.end()) all.push_back(hits);
}

void RankingCheck::served(const Snapshot& snapshot, prescope::ArmIndex arm, const Query& query) {
  const prescope::TopicIndex topic = citations_.find(query.topic->text()).value();
  const Key key{snapshot.generation(), arm, topic};
  {
    const std::lock_guard lock(mutex_);
    if (served_.contains(key)) return;
  }
  Hits hits = judged_among(citations_, topic, snapshot.docnos(arm, query.text));
  const std::lock_guard lock(mutex_);
  served_.emplace(key, std::move(hits));
}

RankingCheck::Result RankingCheck::result() const {
  const std::lock_guard lock(mutex_);
  Result result;
  for (const auto& [key, hits] : served_) {
    const auto found = recorded_.find(key);
    if (found == recorded_.end()) continue;
    ++result.rankings;
    result.wrong += found->second == std::vector<Hits>{hits} ? 0U : 1U;
  }
  return result;
}

}  // namespace live_ab
