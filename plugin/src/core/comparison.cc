#include "core/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/comparison_citations.h"
#include "core/comparison_measure.h"
#include "prescope/error.h"

namespace prescope {
namespace {

std::optional<std::size_t> first_with_credits(std::span<const Measure> measures) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (CitationCredits::of(measures[m])) return m;
  }
  return std::nullopt;
}

template <class Use>
void for_each_tested(Comparison& comparison, const Use& use) {
  for (RunComparison& run : comparison.runs) {
    for (MeasureComparison& measure : run.measures) {
      if (measure.p_value) use(measure);
    }
  }
}

void correct_and_judge(Comparison& comparison) {
  std::vector<double> p_values;
  for_each_tested(comparison, [&](const MeasureComparison& m) { p_values.push_back(*m.p_value); });
  const auto corrected = correct_p_values(p_values, comparison.options.correction);
  auto next = corrected.begin();
  for_each_tested(comparison, [&](MeasureComparison& m) {
    m.corrected = *next++;
    m.verdict = verdict_of(m, comparison.options.power.alpha);
  });
  comparison.corrected_over = static_cast<std::uint32_t>(p_values.size());
}

RunComparison compare_pair(const Qrels& qrels, const ScoredPair& pair,
                           const Comparison& comparison) {
  RunComparison result;
  for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
    result.measures.push_back(
        compare_measure(*pair.a.evaluation, *pair.b.evaluation, m, comparison.options));
  }
  if (comparison.moving_measure) {
    compare_citations(qrels, pair, comparison.options, *comparison.moving_measure, result);
  }
  return result;
}

}  // namespace

std::vector<Measure> comparable_measures(std::span<const Measure> measures) {
  std::vector<Measure> compared;
  for (const Measure& measure : measures) {
    if (measure.definition().mean == MeasureDefinition::Mean::kGeometric) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("{} is a geometric mean: its topics' differences do not average to "
                              "the difference of its means; compare the measure it is made of",
                              measure.name()));
    }
    if (std::ranges::find(compared, measure) == compared.end()) compared.push_back(measure);
  }
  return compared;
}

Comparison compare_runs(const Qrels& qrels, std::span<const ScoredRun> runs,
                        const CompareOptions& options) {
  Comparison comparison{.options = options, .measures = runs.front().evaluation->measures};
  comparison.moving_measure = first_with_credits(comparison.measures);
  for (std::size_t r = 1; r < runs.size(); ++r) {
    comparison.runs.push_back(compare_pair(qrels, {.a = runs.front(), .b = runs[r]}, comparison));
    comparison.runs.back().run = r;
  }
  correct_and_judge(comparison);
  return comparison;
}

}  // namespace prescope
