#include "measures/citation_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>

#include "measures/definitions.h"

namespace prescope {

namespace {

struct Found {
  Rank rank = 0;
  std::uint64_t credit = 0;
};

std::vector<JudgedHit> relevant_of(const TopicQrels& judged, std::span<const JudgedHit> hits) {
  std::vector<JudgedHit> relevant;
  for (const JudgedHit& hit : hits) {
    if (judged.is_relevant(hit.judgement)) relevant.push_back(hit);
  }
  return relevant;
}

std::map<JudgementIndex, Found> found_within(std::span<const JudgedHit> relevant,
                                             const CitationCredits& credits) {
  std::map<JudgementIndex, Found> found;
  for (const JudgedHit& hit : relevant) {
    if (hit.rank > credits.cutoff().value()) break;
    const std::size_t place = found.size() + 1;
    found[hit.judgement] = {hit.rank, credits.credit(place, hit.rank)};
  }
  return found;
}

}  // namespace

std::optional<CitationCredits> CitationCredits::of(const Measure& measure) {
  const std::optional<Cutoff> cutoff = measure.cutoff();
  if (!cutoff) return std::nullopt;
  if (measure.definition().name == kPres.name) return CitationCredits(Kind::kPres, *cutoff);
  if (measure.definition().name == kRecall.name) return CitationCredits(Kind::kRecall, *cutoff);
  return std::nullopt;
}

std::vector<CitationChange> citation_changes(const TopicQrels& judged, std::span<const JudgedHit> a,
                                             std::span<const JudgedHit> b,
                                             const CitationCredits& credits) {
  return citation_changes(relevant_of(judged, a), relevant_of(judged, b), credits);
}

std::vector<CitationChange> citation_changes(std::span<const JudgedHit> relevant_a,
                                             std::span<const JudgedHit> relevant_b,
                                             const CitationCredits& credits) {
  std::map<JudgementIndex, CitationChange> changes;
  const auto change_of = [&](JudgementIndex judgement) -> CitationChange& {
    CitationChange& change = changes[judgement];
    change.judgement = judgement;
    return change;
  };
  for (const auto& [judgement, found] : found_within(relevant_a, credits)) {
    CitationChange& change = change_of(judgement);
    change.rank_a = found.rank;
    change.credit -= static_cast<std::int64_t>(found.credit);
  }
  for (const auto& [judgement, found] : found_within(relevant_b, credits)) {
    CitationChange& change = change_of(judgement);
    change.rank_b = found.rank;
    change.credit += static_cast<std::int64_t>(found.credit);
  }
  std::vector<CitationChange> result;
  for (const auto& [judgement, change] : changes) {
    if (change.rank_a != change.rank_b || change.credit != 0) result.push_back(change);
  }
  std::ranges::stable_sort(result, std::ranges::greater{},
                           [](const CitationChange& change) { return std::abs(change.credit); });
  return result;
}

}  // namespace prescope
