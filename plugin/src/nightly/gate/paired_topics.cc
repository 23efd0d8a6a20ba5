#include "nightly/gate/paired_topics.h"

#include <algorithm>

namespace prescope {

namespace {

using TopicPointers = std::vector<const EvaluationRecord::Topic*>;

TopicPointers by_id(const EvaluationRecord& record) {
  TopicPointers topics;
  topics.reserve(record.topics.size());
  for (const EvaluationRecord::Topic& topic : record.topics) topics.push_back(&topic);
  std::ranges::stable_sort(
      topics, {}, [](const auto* topic) -> const auto& { return topic->id; });
  return topics;
}

}  // namespace

std::vector<PairedTopic> paired_topics(const EvaluationRecord& baseline,
                                       const EvaluationRecord& tonight) {
  const TopicPointers before = by_id(baseline), now = by_id(tonight);
  std::vector<PairedTopic> pairs;
  pairs.reserve(before.size());
  for (auto b = before.begin(), t = now.begin(); b != before.end() && t != now.end();) {
    const auto order = (*b)->id <=> (*t)->id;
    if (order == 0) pairs.push_back({*b, *t});
    if (order <= 0) ++b;
    if (order >= 0) ++t;
  }
  return pairs;
}

std::size_t count_found(const EvaluationRecord::Topic& topic, Cutoff cutoff) noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      topic.found,
      [&](const EvaluationRecord::Found& found) { return found.rank <= cutoff.value(); }));
}

}  // namespace prescope
