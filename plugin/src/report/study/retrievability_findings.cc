#include "report/study/retrievability_findings.h"

#include <algorithm>
#include <numeric>

namespace prescope {
namespace {

bool is_retrieved(const RetrievabilityStudy& study, std::uint32_t document) {
  return std::ranges::any_of(study.sources, [document](const RetrievabilitySource& source) {
    return source.scores.score(document) > 0;
  });
}

/// The documents that the shares are of; those that a list has not are not among them.
std::vector<std::uint32_t> scores_of(const RetrievabilityStudy& study,
                                     const RetrievabilitySource& source) {
  const auto scores = source.scores.scores();
  const std::size_t count =
      study.listed ? std::min<std::size_t>(*study.listed, scores.size()) : scores.size();
  return {scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::uint64_t population_of(const RetrievabilityStudy& study) {
  std::uint64_t retrieved = 0;
  for (std::uint32_t i = 0; i < study.documents.size(); ++i) {
    if (is_retrieved(study, i)) ++retrieved;
  }
  if (study.listed) return *study.listed;
  return study.population.value_or(retrieved);
}

std::uint64_t retrieved_by(const RetrievabilitySource& source) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(source.scores.scores(), [](std::uint32_t r) { return r > 0; }));
}

}  // namespace

RetrievabilityFindings retrievability_findings(const RetrievabilityStudy& study) {
  RetrievabilityFindings findings{.population = population_of(study)};
  for (std::uint32_t i = study.listed.value_or(study.documents.size()); i < study.documents.size();
       ++i) {
    if (is_retrieved(study, i)) ++findings.unlisted;
  }
  const RetrievabilitySource& first = study.sources.front();
  for (const RetrievabilitySource& source : study.sources) {
    findings.names.push_back(source.name);
    // A count that is given may be too small: a document that was found is there.
    const std::uint64_t population =
        study.listed ? findings.population : std::max(findings.population, retrieved_by(source));
    findings.summaries.push_back(summarize(scores_of(study, source), population));
    const bool comparable = &source != &first && source.group == first.group;
    findings.comparisons.push_back(comparable ? std::optional(compare_retrievability(
                                                    first.scores, source.scores, study.documents))
                                              : std::nullopt);
  }
  return findings;
}

std::vector<std::uint32_t> most_found(const RetrievabilityStudy& study) {
  const RetrievabilityScores& scores = study.sources.front().scores;
  std::vector<std::uint32_t> documents(study.documents.size());
  std::iota(documents.begin(), documents.end(), 0U);
  const auto end =
      documents.begin() + static_cast<std::ptrdiff_t>(std::min(study.top, documents.size()));
  std::partial_sort(documents.begin(), end, documents.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t of_a = scores.score(a), of_b = scores.score(b);
    return of_a != of_b ? of_a > of_b : study.documents.name(a) < study.documents.name(b);
  });
  documents.erase(end, documents.end());
  return documents;
}

std::vector<std::uint32_t> never_found(const RetrievabilityStudy& study) {
  std::vector<std::uint32_t> documents;
  for (std::uint32_t i = 0; i < study.listed.value_or(0); ++i) {
    if (!is_retrieved(study, i)) documents.push_back(i);
  }
  return documents;
}

}  // namespace prescope
