#include "support/plain_evaluation.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace prescope {
namespace {

EvaluatedTopic evaluate_topic(const Qrels& qrels, TopicIndex index, const Run::Topic& ranking) {
  const TopicQrels& judged = qrels.topic(index);
  EvaluatedTopic result{.topic = index,
                        .num_rel = judged.num_rel(),
                        .num_ret = static_cast<std::uint32_t>(ranking.docnos.size()),
                        .relevant_ranks = {},
                        .duplicates = 0};
  std::unordered_set<std::string> seen;
  seen.reserve(ranking.docnos.size());
  Rank rank = 0;
  for (const Docno& docno : ranking.docnos) {
    ++rank;
    const auto [key, is_new] = seen.insert(qrels.docnos().key(docno));
    if (!is_new) {
      ++result.duplicates;
      continue;
    }
    const auto judgement = judged.find(*key);
    if (judgement && judged.is_relevant(*judgement)) result.relevant_ranks.push_back(rank);
  }
  return result;
}

}  // namespace

std::vector<EvaluatedTopic> evaluate(const Qrels& qrels, const Run& run) {
  std::vector<EvaluatedTopic> results;
  TopicIndex index;
  for (const TopicQrels& topic : qrels.topics()) {
    const auto found = std::ranges::lower_bound(run.topics, topic.id(), {}, &Run::Topic::id);
    if (found != run.topics.end() && found->id == topic.id()) {
      results.push_back(evaluate_topic(qrels, index, *found));
    }
    index = TopicIndex(index.value() + 1);
  }
  return results;
}

}  // namespace prescope
