#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/judgement_sampling.h"
#include "core/paired_verdict.h"
#include "core/ranked_runs.h"
#include "core/scorer.h"
#include "core/statistics/multiplicity.h"
#include "core/statistics/sign_flip.h"

/// Were some of the citations unknown, would the comparison still say what it says?
namespace prescope {

struct VerdictRobustnessOptions {
  std::vector<double> fractions{0.8};  ///< of the relevant documents that stay known, in (0, 1]
  std::uint32_t samples = 100;         ///< draws for each fraction, at least 1
  std::string seed = "1";              ///< of the draws
  SampleRounding rounding = SampleRounding::kNearest;
  PairedTest test = PairedTest::kT;
  Correction correction = Correction::kHolm;  ///< over measures times runs, as compare_runs does
  double alpha = 0.05;
  SignFlipOptions sign_flip{};
  unsigned threads = 1;  ///< at least 1; the answer is the same for any number
};

/// How often a verdict came out how, over the draws of one fraction.
struct VerdictChanges {
  double fraction = 1.0;
  std::uint32_t same = 0;      ///< better, worse, or neither, as with all judgements
  std::uint32_t lost = 0;      ///< there was a difference, and there is none
  std::uint32_t appeared = 0;  ///< there was none, and there is one
  std::uint32_t reversed = 0;  ///< better has become worse, or worse better
  double lowest_mean = 0.0, highest_mean = 0.0;  ///< of the draws' mean differences, B - A

  [[nodiscard]] std::uint32_t samples() const noexcept { return same + lost + appeared + reversed; }
  friend bool operator==(const VerdictChanges&, const VerdictChanges&) = default;
};

/// One measure of run B against the baseline.
struct MeasureRobustness {
  Measure measure;
  /// With all judgements. kTooFewTopics: nothing follows, and `changes` is empty.
  Verdict verdict = Verdict::kTooFewTopics;
  std::vector<VerdictChanges> changes{};  ///< by fraction, as asked for
};

struct VerdictRobustness {
  VerdictRobustnessOptions options{};
  /// For each run but the baseline, by measure.
  std::vector<std::vector<MeasureRobustness>> runs{};
};

/// The first of at least two runs is the baseline. Each draw takes judgements away, whether they
/// were found or not; both arms are scored again, tested and corrected, as compare_runs does. No
/// file is read. O(fractions x samples x runs x found judgements), and what the test costs.
[[nodiscard]] VerdictRobustness verdict_robustness(const RankedRuns& runs, const Scorer& scorer,
                                                   const VerdictRobustnessOptions& options = {});

}  // namespace prescope
