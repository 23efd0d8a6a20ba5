#include "core/comparison_citations.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/statistics/distributions.h"

namespace prescope {
namespace {

using TopicHits = std::vector<JudgedHit>;

/// The judged documents of topics asked for in ascending order.
class HitsOfRun {
 public:
  HitsOfRun(const Qrels& qrels, const ScoredRun& run, const RankOptions& options)
      : qrels_(qrels), run_(run), options_(options) {}

  [[nodiscard]] TopicHits of(TopicIndex topic) {
    const std::vector<Evaluation::Topic>& topics = run_.evaluation->topics;
    while (topics[next_].topic < topic) ++next_;
    TopicHits hits;
    if (topics[next_].facts == nullptr) return hits;
    rank_topic(qrels_, *run_.facts, *topics[next_].facts, options_, ranking_);
    for (const RankedJudgement& ranked : ranking_.judged) {
      hits.push_back({.rank = ranked.rank, .judgement = ranked.judgement});
    }
    return hits;
  }

 private:
  const Qrels& qrels_;
  ScoredRun run_;
  RankOptions options_;
  TopicRanking ranking_;
  std::size_t next_ = 0;
};

std::uint64_t count_found(const TopicQrels& judged, const TopicHits& hits, Cutoff cutoff) {
  return static_cast<std::uint64_t>(std::ranges::count_if(hits, [&](const JudgedHit& hit) {
    return hit.rank <= cutoff.value() && judged.is_relevant(hit.judgement);
  }));
}

void count_change(const CitationChange& change, Cutoff cutoff, CitationTotals& totals) {
  if (change.is_gained()) {
    ++totals.gained;
  } else if (change.is_lost()) {
    ++totals.lost;
    if (change.is_lost_from_far(cutoff)) ++totals.lost_from_far;
  } else if (change.is_moved()) {
    ++(*change.rank_b < *change.rank_a ? totals.moved_up : totals.moved_down);
  }
}

/// Adds one topic; `found_a` and `found_b` relevant documents within the cutoff.
void count_topic(const MeasureComparison::Topic& topic, std::uint64_t found_a,
                 std::uint64_t found_b, CitationTotals& totals) {
  ++totals.topics;
  totals.found_a += found_a;
  totals.found_b += found_b;
  if (topic.difference != 0.0) ++totals.topics_changed;
  if (found_a > 0 && found_b == 0) ++totals.emptied;
  if (found_a == 0 && found_b > 0) ++totals.filled;
  if (topic.difference <= -kFarChange) ++totals.fell_far;
  if (topic.difference >= kFarChange) ++totals.rose_far;
}

void finish(CitationTotals& totals) {
  totals.same_rank = totals.found_a - totals.lost - totals.moved_up - totals.moved_down;
  const std::uint64_t turned = totals.emptied + totals.filled;
  if (turned > 0) totals.emptied_p = fair_coin_tail(totals.emptied, turned);
}

bool moved_more(const TopicChange& x, const TopicChange& y) {
  return std::abs(x.scores.difference) > std::abs(y.scores.difference);
}

void keep_top(std::vector<TopicChange>& moved, std::size_t top) {
  std::ranges::stable_sort(moved, moved_more);
  if (moved.size() > top) moved.resize(top);
}

}  // namespace

void compare_citations(const Qrels& qrels, const ScoredPair& pair, const CompareOptions& options,
                       std::size_t moving, RunComparison& comparison) {
  const MeasureComparison& measure = comparison.measures[moving];
  const CitationCredits credits = CitationCredits::of(measure.measure).value();
  HitsOfRun hits_a(qrels, pair.a, options.evaluate.ranks);
  HitsOfRun hits_b(qrels, pair.b, options.evaluate.ranks);
  CitationTotals totals;
  for (const MeasureComparison::Topic& topic : measure.topics) {
    const TopicQrels& judged = qrels.topic(topic.topic);
    const TopicHits a = hits_a.of(topic.topic), b = hits_b.of(topic.topic);
    TopicChange change{.scores = topic,
                       .whole = credits.whole(judged.num_rel()),
                       .citations = citation_changes(judged, a, b, credits)};
    for (const CitationChange& citation : change.citations) {
      count_change(citation, credits.cutoff(), totals);
    }
    count_topic(topic, count_found(judged, a, credits.cutoff()),
                count_found(judged, b, credits.cutoff()), totals);
    if (topic.difference != 0.0) comparison.moved.push_back(std::move(change));
  }
  finish(totals);
  comparison.citations = totals;
  keep_top(comparison.moved, options.top);
}

}  // namespace prescope
