#include "live/topic_moves.h"

#include <algorithm>
#include <cmath>

#include "core/citation_changes.h"
#include "core/statistics/differences.h"
#include "live/last_score.h"

namespace prescope {
namespace {

using TopicState = Ledger::TopicState;

constexpr ArmIndex kMovedFrom{0};

std::vector<CitationMove> citation_moves(const TopicQrels& judged, const TopicState& a,
                                         const TopicState& b, const CitationCredits& credits) {
  const auto whole = static_cast<double>(credits.whole(judged.num_rel()));
  std::vector<CitationMove> moves;
  for (const CitationChange& change : citation_changes(judged, a.hits, b.hits, credits)) {
    if (change.credit == 0) continue;
    const Judgement& judgement = judged.judgements()[change.judgement.value()];
    moves.push_back({.docno = judgement.docno,
                     .grade = judgement.grade,
                     .rank_a = change.rank_a,
                     .rank_b = change.rank_b,
                     .share = static_cast<double>(change.credit) / whole});
  }
  return moves;
}

std::optional<TopicMove> topic_move(const Ledger& ledger, ArmIndex b, TopicIndex topic,
                                    std::size_t m) {
  const std::optional<double> in_a = last_score(ledger, kMovedFrom, topic, m);
  const std::optional<double> in_b = last_score(ledger, b, topic, m);
  if (!in_a || !in_b) return std::nullopt;
  const double difference = clean_difference(*in_b, *in_a);
  if (difference == 0.0) return std::nullopt;
  const Measure& measure = ledger.scorer().measures()[m];
  const TopicQrels& judged = ledger.qrels().topic(topic);
  return TopicMove{.topic = judged.id(),
                   .measure = measure,
                   .a = *in_a,
                   .b = *in_b,
                   .difference = difference,
                   .num_rel = judged.num_rel(),
                   .citations = citation_moves(judged, ledger.arm(kMovedFrom).topics[topic.value()],
                                               ledger.arm(b).topics[topic.value()],
                                               CitationCredits::of(measure).value())};
}

}  // namespace

std::vector<TopicMove> topic_moves(const Ledger& ledger, ArmIndex b) {
  std::vector<TopicMove> moves;
  const std::optional<std::size_t> m = moving_measure(ledger.scorer().measures());
  if (!m || ledger.options().mode == Mode::kSplit) return moves;
  for (std::uint32_t t = 0; t < ledger.qrels().topics().size(); ++t) {
    if (auto move = topic_move(ledger, b, TopicIndex(t), *m)) moves.push_back(std::move(*move));
  }
  std::ranges::stable_sort(moves, [](const TopicMove& x, const TopicMove& y) {
    return std::abs(x.difference) > std::abs(y.difference);
  });
  return moves;
}

}  // namespace prescope
