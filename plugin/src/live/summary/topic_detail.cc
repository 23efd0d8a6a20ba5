#include "live/summary/topic_detail.h"

#include <algorithm>

#include "live/summary/summarize.h"
#include "measures/citation_changes.h"
#include "measures/definitions.h"
#include "statistics/paired_tests.h"

namespace prescope {

std::optional<std::size_t> moving_measure(std::span<const Measure> measures) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].definition().name == kPres.name) return m;
  }
  return std::nullopt;
}

std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                 std::size_t measure) {
  const Ledger::Score& score = ledger.score(arm, topic, measure);
  const Cutoff cutoff = ledger.scorer().measures()[measure].cutoff().value();
  if (score.visits == 0 || !ledger.arm(arm).topics[topic.value()].reaches(cutoff)) {
    return std::nullopt;
  }
  return score.last;
}

namespace {

using Place = TopicDetail::Citation::Place;

/// Nothing for a document that was not judged yet when the index was looked through.
std::optional<bool> in_index(const ResolvedQrels* resolved, const Judgement& judgement) {
  if (resolved == nullptr) return std::nullopt;
  const std::uint32_t key = resolved->judged().find(judgement.key);
  if (key == JudgedDocnos::kNotJudged) return std::nullopt;
  return !std::ranges::binary_search(resolved->missing_keys(), key);
}

/// Of every judgement of the topic in one arm.
std::vector<Place> places_in(const Ledger& ledger, const ArmFacts& facts, ArmIndex arm,
                             TopicIndex topic) {
  const std::span<const Judgement> judgements = ledger.qrels().topic(topic).judgements();
  std::vector<Place> places(judgements.size());
  if (ledger.arm(arm).is_removed()) return places;
  for (std::size_t j = 0; j < judgements.size(); ++j) {
    places[j].in_index = in_index(facts.resolved, judgements[j]);
  }
  for (const JudgedHit& hit : ledger.arm(arm).topics[topic.value()].ranking.hits) {
    places[hit.judgement.value()].rank = hit.rank;
  }
  return places;
}

std::vector<TopicDetail::Citation> citations_of(const Ledger& ledger,
                                                std::span<const ArmFacts> arms, TopicIndex topic) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  std::vector<TopicDetail::Citation> citations;
  for (std::uint32_t j = 0; j < judged.judgements().size(); ++j) {
    const Judgement& judgement = judged.judgements()[j];
    citations.push_back({.docno = judgement.docno,
                         .grade = judgement.grade,
                         .relevant = judged.is_relevant(JudgementIndex(j))});
  }
  for (std::uint32_t a = 0; a < arms.size(); ++a) {
    const std::vector<Place> places = places_in(ledger, arms[a], ArmIndex(a), topic);
    for (std::size_t j = 0; j < places.size(); ++j) citations[j].arms.push_back(places[j]);
  }
  return citations;
}

/// An arm that has a score of the topic.
struct Scored {
  ArmIndex arm{};
  double score = 0.0;
};

std::vector<Scored> scored_arms(const Ledger& ledger, TopicIndex topic, std::size_t measure) {
  std::vector<Scored> scored;
  for (std::uint32_t a = 0; a < ledger.num_arms(); ++a) {
    if (ledger.arm(ArmIndex(a)).is_removed()) continue;
    const std::optional<double> score = last_score(ledger, ArmIndex(a), topic, measure);
    if (score) scored.push_back({ArmIndex(a), *score});
  }
  return scored;
}

TopicDetail::Difference difference_of(const Ledger& ledger, TopicIndex topic,
                                      const Measure& measure, const Scored& a, const Scored& b) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  const CitationCredits credits = CitationCredits::of(measure).value();
  TopicDetail::Difference difference{.a = a.arm,
                                     .b = b.arm,
                                     .measure = measure,
                                     .difference = clean_difference(b.score, a.score),
                                     .shares = std::vector(judged.judgements().size(), 0.0)};
  const auto whole = static_cast<double>(credits.whole(judged.num_rel()));
  const auto hits = [&](ArmIndex arm) {
    return std::span(ledger.arm(arm).topics[topic.value()].ranking.hits);
  };
  for (const CitationChange& change : citation_changes(judged, hits(a.arm), hits(b.arm), credits)) {
    difference.shares[change.judgement.value()] = static_cast<double>(change.credit) / whole;
  }
  return difference;
}

std::vector<TopicDetail::Difference> differences_of(const Ledger& ledger, TopicIndex topic) {
  std::vector<TopicDetail::Difference> differences;
  const std::optional<std::size_t> m = moving_measure(ledger.scorer().measures());
  if (!m || ledger.options().mode == Mode::kSplit) return differences;
  const std::vector<Scored> scored = scored_arms(ledger, topic, *m);
  for (auto a = scored.begin(); a != scored.end(); ++a) {
    for (auto b = a + 1; b != scored.end(); ++b) {
      differences.push_back(difference_of(ledger, topic, ledger.scorer().measures()[*m], *a, *b));
    }
  }
  return differences;
}

}  // namespace

std::optional<TopicDetail> topic_detail(const Ledger& ledger, std::span<const ArmFacts> arms,
                                        const TopicId& id) {
  const std::optional<TopicIndex> topic = ledger.qrels().find(id.text());
  if (!topic) return std::nullopt;
  return TopicDetail{.row = topic_row(ledger, arms, *topic),
                     .citations = citations_of(ledger, arms, *topic),
                     .differences = differences_of(ledger, *topic)};
}

}  // namespace prescope
