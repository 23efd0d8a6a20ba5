#include "live/topic_row.h"

namespace prescope {
namespace {

void add_scores(const Ledger& ledger, ArmIndex arm, TopicIndex topic, TopicRow::Arm& row) {
  const Ledger::TopicState& state = ledger.arm(arm).topics[topic.value()];
  const std::span<const Measure> measures = ledger.scorer().measures();
  row.scores.reserve(measures.size());
  row.means.reserve(measures.size());
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const Ledger::Score& score = ledger.score(arm, topic, m);
    const std::optional<Cutoff> cutoff = measures[m].cutoff();
    const bool is_known = score.visits > 0 && (!cutoff || state.reaches(*cutoff));
    row.scores.push_back(is_known ? std::optional(score.last) : std::nullopt);
    row.means.push_back(score.visits > 0 ? std::optional(score.mean) : std::nullopt);
  }
}

TopicRow::Arm row_of_arm(const Ledger& ledger, const ArmFacts& facts, ArmIndex arm,
                         TopicIndex topic) {
  if (ledger.arm(arm).is_removed()) return {};
  const Ledger::TopicState& state = ledger.arm(arm).topics[topic.value()];
  TopicRow::Arm row{.seen = state.was_seen(), .visits = state.visits};
  if (!row.seen) return row;
  row.num_ret = state.covered;
  row.exhausted = state.exhausted;
  row.awaiting = state.awaiting;
  if (facts.resolved != nullptr) row.missing = facts.resolved->topic(topic).missing;
  row.latency_ms = state.last_latency_ms;
  const TopicQrels& judged = ledger.qrels().topic(topic);
  row.relevant_ranks.reserve(state.hits.size());
  for (const JudgedHit& hit : state.hits) {
    if (judged.is_relevant(hit.judgement)) row.relevant_ranks.push_back(hit.rank);
  }
  add_scores(ledger, arm, topic, row);
  return row;
}

}  // namespace

TopicRow topic_row(const Ledger& ledger, std::span<const ArmFacts> arms, TopicIndex topic) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  TopicRow row{.id = judged.id(), .num_rel = judged.num_rel()};
  row.arms.reserve(arms.size());
  for (std::uint32_t a = 0; a < arms.size(); ++a) {
    row.arms.push_back(row_of_arm(ledger, arms[a], ArmIndex(a), topic));
  }
  return row;
}

}  // namespace prescope
