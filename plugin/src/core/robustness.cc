#include "core/robustness.h"

#include <algorithm>

#include "core/in_parallel.h"
#include "core/sampled_scores.h"
#include "core/statistics/rank_correlation.h"

namespace prescope {
namespace {

using Means = std::vector<std::vector<std::optional<double>>>;  // by run, measure

Means means_under(const SampledJudgements& judgements, const RankedRuns& runs,
                  const Scorer& scorer) {
  Means means(runs.runs.size());
  std::vector<std::optional<double>> scores;
  for (std::size_t r = 0; r < runs.runs.size(); ++r) {
    judgements.score(runs.runs[r], scorer, scores);
    for (std::size_t m = 0; m < scorer.measures().size(); ++m) {
      means[r].push_back(mean_of_column(scores, m, scorer));
    }
  }
  return means;
}

std::optional<double> tau(const Means& full, const Means& sampled, std::size_t measure) {
  std::vector<double> x, y;
  for (std::size_t r = 0; r < full.size(); ++r) {
    if (!full[r][measure] || !sampled[r][measure]) continue;
    x.push_back(*full[r][measure]);
    y.push_back(*sampled[r][measure]);
  }
  return kendall_tau_b(x, y);
}

void summarize(RobustnessCell& cell) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const std::optional<double>& tau : cell.taus) {
    if (!tau) continue;
    sum += *tau;
    ++count;
    cell.minimum = std::min(cell.minimum.value_or(*tau), *tau);
  }
  if (count > 0) cell.average = sum / static_cast<double>(count);
}

}  // namespace

Robustness robustness(const RankedRuns& runs, const Scorer& scorer,
                      const RobustnessOptions& options) {
  Robustness result{.options = options};
  result.measures.assign(scorer.measures().begin(), scorer.measures().end());
  result.means = means_under(SampledJudgements(runs, {.fraction = 1.0}), runs, scorer);
  std::vector<Means> sampled(options.fractions.size() * options.samples);
  in_parallel(sampled.size(), options.threads, [&](std::size_t i) {
    const SampleDraw draw{.seed = options.seed,
                          .fraction = options.fractions[i / options.samples],
                          .sample = static_cast<std::uint32_t>(i % options.samples + 1),
                          .rounding = options.rounding};
    sampled[i] = means_under(SampledJudgements(runs, draw), runs, scorer);
  });
  for (std::size_t f = 0; f < options.fractions.size(); ++f) {
    for (std::size_t m = 0; m < result.measures.size(); ++m) {
      RobustnessCell& cell = result.cells.emplace_back();
      for (std::size_t s = 0; s < options.samples; ++s) {
        cell.taus.push_back(tau(result.means, sampled[f * options.samples + s], m));
      }
      summarize(cell);
    }
  }
  return result;
}

}  // namespace prescope
