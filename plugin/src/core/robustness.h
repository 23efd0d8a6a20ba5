#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/judgement_sampling.h"
#include "core/ranked_runs.h"
#include "core/scorer.h"

/// How far the order of systems survives when a part of the judgements is missing: Magdy & Jones,
/// "Examining the robustness of evaluation metrics for patent retrieval with incomplete relevance
/// judgements", CLEF 2010.
namespace prescope {

struct RobustnessOptions {
  std::vector<double> fractions{0.2, 0.4, 0.6, 0.8};  ///< kept of the relevant ones, in (0, 1]
  std::uint32_t samples = 3;                          ///< of each fraction, at least 1
  std::string seed = "1";
  SampleRounding rounding = SampleRounding::kNearest;
  unsigned threads = 1;  ///< at least 1; the answer is the same for any number
};

/// Kendall's tau-b between the runs' means with all judgements and with those of a sample.
struct RobustnessCell {
  std::vector<std::optional<double>> taus{};   ///< by sample; nothing where all runs tie
  std::optional<double> average{}, minimum{};  ///< over the samples that have one
};

struct Robustness {
  RobustnessOptions options{};
  std::vector<Measure> measures{};
  std::vector<std::vector<std::optional<double>>> means{};  ///< by run, measure; all judgements
  std::vector<RobustnessCell> cells{};  ///< a row for each fraction, a column for each measure

  [[nodiscard]] const RobustnessCell& at(std::size_t fraction, std::size_t measure) const {
    return cells[fraction * measures.size() + measure];
  }
};

/// Every topic keeps at least one relevant document, so that none is lost. Runs without a mean in
/// either are left out of a tau. Nothing is read: O(fractions x samples x runs x found judgements).
[[nodiscard]] Robustness robustness(const RankedRuns& runs, const Scorer& scorer,
                                    const RobustnessOptions& options = {});

}  // namespace prescope
