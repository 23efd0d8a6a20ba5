#include "measures/citation_changes.h"

#include <cstdlib>

#include "measures/definitions.h"

namespace prescope {

namespace {

std::vector<JudgedHit> relevant_of(const TopicQrels& judged, std::span<const JudgedHit> hits) {
  std::vector<JudgedHit> relevant;
  for (const JudgedHit& hit : hits) {
    if (judged.is_relevant(hit.judgement)) relevant.push_back(hit);
  }
  return relevant;
}

}  // namespace

std::optional<CitationCredits> CitationCredits::of(const Measure& measure) {
  const std::optional<Cutoff> cutoff = measure.cutoff();
  if (!cutoff || measure.min_grade()) return std::nullopt;
  if (measure.definition().name == kPres.name) return CitationCredits(Kind::kPres, *cutoff);
  if (measure.definition().name == kRecall.name) return CitationCredits(Kind::kRecall, *cutoff);
  return std::nullopt;
}

std::vector<CitationChange> citation_changes(const TopicQrels& judged, std::span<const JudgedHit> a,
                                             std::span<const JudgedHit> b,
                                             const CitationCredits& credits) {
  return citation_changes(judged.num_rel(), relevant_of(judged, a), relevant_of(judged, b),
                          credits);
}

std::vector<CitationChange> citation_changes(std::uint32_t num_rel,
                                             std::span<const JudgedHit> relevant_a,
                                             std::span<const JudgedHit> relevant_b,
                                             const CitationCredits& credits) {
  std::map<JudgementIndex, CitationChange> changes;
  const auto add = [&](std::span<const JudgedHit> relevant, auto CitationChange::*rank, int sign) {
    std::uint64_t found = 0;
    for (const JudgedHit& hit : relevant) {
      if (hit.rank > credits.cutoff().value()) break;
      CitationChange& change = changes[hit.judgement];
      change.judgement = hit.judgement;
      change.*rank = hit.rank;
      change.credit += sign * static_cast<std::int64_t>(credits.credit(++found, hit.rank));
    }
  };
  add(relevant_a, &CitationChange::rank_a, -1);
  add(relevant_b, &CitationChange::rank_b, 1);
  std::vector<CitationChange> result;
  const auto whole = static_cast<double>(credits.whole(num_rel));
  for (auto& [judgement, change] : changes) {
    change.share = static_cast<double>(change.credit) / whole;
    if (change.rank_a != change.rank_b || change.credit != 0) result.push_back(change);
  }
  std::ranges::stable_sort(result, std::ranges::greater{},
                           [](const CitationChange& change) { return std::abs(change.credit); });
  return result;
}

std::vector<CitationMove> citation_moves(const TopicQrels& judged,
                                         std::span<const CitationChange> changes) {
  std::vector<CitationMove> moves;
  for (const CitationChange& change : changes) {
    const Judgement& judgement = judged.judgements()[change.judgement.value()];
    moves.push_back({judgement.docno, judgement.grade, change.rank_a, change.rank_b, change.share,
                     judgement.about});
  }
  return moves;
}

}  // namespace prescope
