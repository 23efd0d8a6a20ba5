#include "studies/retrievability.h"

#include <numeric>

namespace prescope {

namespace {

/// Documents by r(d), the ones never retrieved among them.
std::vector<DocumentsByScore> documents_by_score(std::span<const std::uint32_t> scores,
                                                 std::uint64_t population) {
  std::map<std::uint32_t, std::uint64_t> counts{{0, population}};
  for (const std::uint32_t score : scores) {
    if (score == 0) continue;
    ++counts[score];
    --counts[0];
  }
  std::vector<DocumentsByScore> by_score;
  for (const auto& [score, documents] : counts) {
    if (documents > 0) by_score.push_back({score, documents});
  }
  return by_score;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// Returns the sum over i of (2 i - N - 1) r_i, exact below 2^53, score by score.
double weighted_sum(const RetrievabilitySummary& summary) {
  double sum = 0.0;
  std::uint64_t before = 0;
  for (const auto& [topics, documents] : summary.by_score) {
    const auto weight = static_cast<std::int64_t>(2 * before + documents - summary.population);
    sum += static_cast<double>(weight) * static_cast<double>(documents * topics);
    before += documents;
  }
  return sum;
}

void add_lorenz_curve(RetrievabilitySummary& summary) {
  summary.lorenz.push_back({});
  std::uint64_t documents = 0, sum = 0;
  for (const auto& [topics, count] : summary.by_score) {
    documents += count;
    sum += topics * count;
    summary.lorenz.push_back({share(documents, summary.population), share(sum, summary.total)});
  }
}

/// More retrievable ones first, then by name.
void sort_changes(std::vector<RetrievabilityChange>& changes, const DocumentNumbers& documents) {
  std::ranges::sort(changes, [&](const RetrievabilityChange& x, const RetrievabilityChange& y) {
    const std::uint32_t of_x = x.a + x.b, of_y = y.a + y.b;
    return of_x != of_y ? of_x > of_y : documents.name(x.document) < documents.name(y.document);
  });
}

bool is_retrieved(const RetrievabilityStudy& study, std::uint32_t document) {
  return std::ranges::any_of(study.sources, [document](const RetrievabilitySource& source) {
    return source.scores.score(document) > 0;
  });
}

}  // namespace

void RetrievabilityScores::add_topic(std::vector<std::uint32_t> documents) {
  ++topics_;
  std::ranges::sort(documents);
  const auto repeated = std::ranges::unique(documents);
  repeated_ += repeated.size();
  documents.erase(repeated.begin(), documents.end());
  if (documents.empty()) return;
  scores_.resize(std::max<std::size_t>(scores_.size(), documents.back() + std::size_t{1}));
  for (const std::uint32_t document : documents) ++scores_[document];
}

void RetrievabilityScores::renumber(std::span<const std::uint32_t> numbers) {
  const std::vector<std::uint32_t> before = std::move(scores_);
  scores_.clear();
  for (std::size_t i = 0; i < numbers.size() && i < before.size(); ++i) {
    if (numbers[i] >= scores_.size()) scores_.resize(numbers[i] + std::size_t{1});
    scores_[numbers[i]] = before[i];
  }
}

RetrievabilitySummary summarize(std::span<const std::uint32_t> scores, std::uint64_t population) {
  const std::uint64_t retrieved =
      scores.size() - static_cast<std::size_t>(std::ranges::count(scores, 0U));
  population = std::max(population, retrieved);
  RetrievabilitySummary summary{.population = population, .retrieved = retrieved};
  if (population == 0) return summary;
  summary.by_score = documents_by_score(scores, population);
  for (const auto& [topics, documents] : summary.by_score) {
    summary.total += topics * documents;
    summary.highest = topics;
  }
  summary.mean = share(summary.total, population);
  if (summary.total == 0) return summary;
  summary.gini = weighted_sum(summary) /
                 (static_cast<double>(population) * static_cast<double>(summary.total));
  add_lorenz_curve(summary);
  return summary;
}

RetrievabilityComparison compare_retrievability(const RetrievabilityScores& a,
                                                const RetrievabilityScores& b,
                                                const DocumentNumbers& documents) {
  RetrievabilityComparison comparison;
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    const RetrievabilityChange change{.document = i, .a = a.score(i), .b = b.score(i)};
    if (change.a > 0 && change.b > 0) {
      ++comparison.in_both;
      if (change.b > change.a) ++comparison.risen;
      if (change.b < change.a) ++comparison.fallen;
    } else if (change.a > 0) {
      comparison.lost.push_back(change);
    } else if (change.b > 0) {
      comparison.gained.push_back(change);
    }
  }
  sort_changes(comparison.lost, documents);
  sort_changes(comparison.gained, documents);
  return comparison;
}

void summarize(RetrievabilityStudy& study) {
  std::uint64_t retrieved = 0;
  for (std::uint32_t i = 0; i < study.documents.size(); ++i) {
    if (!is_retrieved(study, i)) continue;
    ++retrieved;
    if (study.listed && i >= *study.listed) ++study.unlisted;
  }
  if (study.population_source.empty()) study.population = retrieved;
  const RetrievabilitySource& first = study.sources.front();
  for (RetrievabilitySource& source : study.sources) {
    if (study.listed) source.scores.keep_below(*study.listed);
    source.summary = summarize(source.scores.scores(), study.population);
    if (&source == &first || source.group != first.group) continue;
    source.comparison = compare_retrievability(first.scores, source.scores, study.documents);
  }
}

std::vector<std::uint32_t> most_found(const RetrievabilityStudy& study) {
  const RetrievabilityScores& scores = study.sources.front().scores;
  std::vector<std::uint32_t> documents(study.counted());
  std::iota(documents.begin(), documents.end(), 0U);
  std::erase_if(documents, [&](std::uint32_t each) { return scores.score(each) == 0; });
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
