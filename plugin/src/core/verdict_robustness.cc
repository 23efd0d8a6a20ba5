#include "core/verdict_robustness.h"

#include <algorithm>
#include <optional>

#include "core/in_parallel.h"
#include "core/sampled_scores.h"

namespace prescope {
namespace {

/// What one set of judgements says of a run and a measure.
struct Said {
  Verdict verdict = Verdict::kTooFewTopics;
  double mean = 0.0;
};

using Scores = std::vector<std::optional<double>>;

std::optional<TestedDifference> tested(const Scores& a, const Scores& b, std::size_t measure,
                                       std::size_t measures,
                                       const VerdictRobustnessOptions& options) {
  std::vector<double> differences;
  for (std::size_t i = measure; i < a.size(); i += measures) {
    if (a[i] && b[i]) differences.push_back(clean_difference(*b[i], *a[i]));
  }
  return tested_difference(differences, options.test, options.sign_flip);
}

/// For each run but the baseline, and each measure.
std::vector<Said> verdicts_under(const SampledJudgements& judgements, const RankedRuns& runs,
                                 const Scorer& scorer, const VerdictRobustnessOptions& options) {
  const std::size_t measures = scorer.measures().size();
  std::vector<std::optional<TestedDifference>> differences;
  Scores baseline, scores;
  judgements.score(runs.runs.front(), scorer, baseline);
  for (std::size_t r = 1; r < runs.runs.size(); ++r) {
    judgements.score(runs.runs[r], scorer, scores);
    for (std::size_t m = 0; m < measures; ++m) {
      differences.push_back(tested(baseline, scores, m, measures, options));
    }
  }
  std::vector<double> p_values;
  for (const auto& difference : differences) {
    if (difference) p_values.push_back(difference->p_value);
  }
  const auto corrected = correct_p_values(p_values, options.correction);
  auto next = corrected.begin();
  std::vector<Said> said;
  for (const auto& difference : differences) {
    said.emplace_back();
    if (!difference) continue;
    said.back() = {verdict_of(*difference, *next++, options.alpha), difference->mean};
  }
  return said;
}

int direction_of(Verdict verdict) noexcept {
  return verdict == Verdict::kBetter ? 1 : verdict == Verdict::kWorse ? -1 : 0;
}

void count(const Said& full, const Said& sampled, VerdictChanges& changes) {
  if (changes.samples() == 0) changes.lowest_mean = changes.highest_mean = sampled.mean;
  changes.lowest_mean = std::min(changes.lowest_mean, sampled.mean);
  changes.highest_mean = std::max(changes.highest_mean, sampled.mean);
  const int before = direction_of(full.verdict), after = direction_of(sampled.verdict);
  ++(before == after ? changes.same
     : after == 0    ? changes.lost
     : before == 0   ? changes.appeared
                     : changes.reversed);
}

}  // namespace

VerdictRobustness verdict_robustness(const RankedRuns& runs, const Scorer& scorer,
                                     const VerdictRobustnessOptions& options) {
  const SampledJudgements all(runs, {.fraction = 1.0});
  const std::vector<Said> full = verdicts_under(all, runs, scorer, options);
  std::vector<std::vector<Said>> drawn(options.fractions.size() * options.samples);
  in_parallel(drawn.size(), options.threads, [&](std::size_t i) {
    const SampledJudgements judgements(
        runs, {.seed = options.seed,
               .fraction = options.fractions[i / options.samples],
               .sample = static_cast<std::uint32_t>(i % options.samples + 1),
               .rounding = options.rounding});
    drawn[i] = verdicts_under(judgements, runs, scorer, options);
  });
  VerdictRobustness result{.options = options};
  const std::size_t measures = scorer.measures().size();
  for (std::size_t i = 0; i < full.size(); ++i) {
    if (i % measures == 0) result.runs.emplace_back();
    MeasureRobustness& measure = result.runs.back().emplace_back(
        MeasureRobustness{.measure = scorer.measures()[i % measures], .verdict = full[i].verdict});
    if (full[i].verdict == Verdict::kTooFewTopics) continue;
    for (std::size_t f = 0; f < options.fractions.size(); ++f) {
      VerdictChanges& changes = measure.changes.emplace_back();
      changes.fraction = options.fractions[f];
      for (std::uint32_t s = 0; s < options.samples; ++s) {
        count(full[i], drawn[f * options.samples + s][i], changes);
      }
    }
  }
  return result;
}

}  // namespace prescope
