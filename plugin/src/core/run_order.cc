#include "core/run_order.h"

namespace prescope {

OrderEffect order_effect(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                         const RankOptions& options, const Evaluation& evaluation) {
  OrderEffect effect;
  effect.other = options.order == RunOrder::kTrec ? RunOrder::kFile : RunOrder::kTrec;
  RankOptions other_options = options;
  other_options.order = effect.other;
  TopicRanks ranks(qrels, other_options);
  Evaluation other;
  const std::size_t columns = evaluation.measures.size();
  for (std::size_t t = 0; t < evaluation.topics.size(); ++t) {
    const RunFacts::Topic* topic = evaluation.topics[t].facts;
    if (topic == nullptr || !topic->orders_differ) continue;
    if (effect.topics++ == 0) other = evaluation;
    scorer.score(ranks.of(facts, *topic), std::span(other.scores).subspan(t * columns, columns));
  }
  if (effect.topics > 0) add_means(other);
  effect.means = effect.topics > 0 ? std::move(other.means) : evaluation.means;
  return effect;
}

}  // namespace prescope
