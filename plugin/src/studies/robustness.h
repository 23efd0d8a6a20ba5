#pragma once

#include "judgements/judgement_sampling.h"
#include "runs/evaluation.h"
#include "statistics/paired_tests.h"

namespace prescope {

/// The judgements that a draw leaves. A relevant document that it drops counts as unjudged and
/// keeps its rank in the runs. Documents judged not relevant stay. Immutable, thread-safe.
class SampledJudgements {
 public:
  /// `runs` must outlive this.
  SampledJudgements(const RankedRuns& runs, const SampleDraw& draw);

  /// A row for each topic of a run; without scores if the run does not have the topic.
  [[nodiscard]] Evaluation evaluate(const RankedRuns::Run& run, const Scorer& scorer) const;

 private:
  struct Topic {
    std::uint32_t num_rel = 0;
    std::vector<bool> kept{};     // by judgement
    std::vector<Grade> grades{};  // of those kept, descending
  };

  const RankedRuns* runs_;
  std::vector<Topic> topics_;
};

struct RobustnessOptions {
  std::vector<double> fractions{0.2, 0.4, 0.6, 0.8};  ///< kept of the relevant ones, in (0, 1]
  std::uint32_t samples = 3;                          ///< for each fraction, at least 1
  std::string seed = "1";
  SampleRounding rounding = SampleRounding::kNearest;
  unsigned threads = 1;  ///< at least 1; the answer is the same for any number
};

/// Kendall's tau-b between the runs' means with all judgements and with those of a sample.
struct RobustnessCell {
  std::vector<std::optional<double>> taus{};   ///< by sample; std::nullopt if all runs tie
  std::optional<double> average{}, minimum{};  ///< over the samples that have one
};

struct Robustness {
  RobustnessOptions options{};
  std::vector<Measure> measures{};
  std::vector<RobustnessCell> cells{};  ///< a row for each fraction, a column for each measure

  [[nodiscard]] const RobustnessCell& at(std::size_t fraction, std::size_t measure) const {
    return cells[fraction * measures.size() + measure];
  }
};

/// Every topic keeps at least one relevant document. Runs without a mean are left out of a tau.
/// Reads no file: O(fractions x samples x runs x found judgements).
[[nodiscard]] Robustness robustness(const RankedRuns& runs, const Scorer& scorer,
                                    const RobustnessOptions& options = {});

struct VerdictRobustnessOptions {
  RobustnessOptions draws{.fractions = {0.8}, .samples = 100};
  PairedTest test = PairedTest::kT;
  Correction correction = Correction::kHolm;  ///< over measures times runs, as compare_runs does
  double alpha = 0.05;
  SignFlipOptions sign_flip{};
  /// For each run but the baseline, by measure: true if the comparison gives no verdict because a
  /// run was cut off. It is not tested then. May be empty.
  std::vector<bool> without_verdict{};
};

/// Counts of a verdict's outcomes over the draws of one fraction.
struct VerdictChanges {
  double fraction = 1.0;
  std::uint32_t same = 0;      ///< better, worse, or neither, as with all judgements
  std::uint32_t lost = 0;      ///< there was a difference, and there is none
  std::uint32_t appeared = 0;  ///< there was none, and there is one
  std::uint32_t reversed = 0;  ///< better has become worse, or worse better
  double lowest_difference = 0.0,
         highest_difference = 0.0;  ///< among the draws' mean differences, B - A

  [[nodiscard]] std::uint32_t samples() const noexcept { return same + lost + appeared + reversed; }
  friend bool operator==(const VerdictChanges&, const VerdictChanges&) = default;
};

/// One measure of run B against the baseline.
struct MeasureRobustness {
  Measure measure;
  /// The verdict with all judgements. If it is kTooFewTopics, `changes` is empty.
  Verdict verdict = Verdict::kTooFewTopics;
  std::vector<VerdictChanges> changes{};  ///< by fraction, as asked for
};

struct VerdictRobustness {
  VerdictRobustnessOptions options{};
  /// For each run but the baseline, by measure.
  std::vector<std::vector<MeasureRobustness>> runs{};
};

/// Scores, tests and corrects both runs of each draw as compare_runs does. The first of at least
/// two runs is the baseline. Costs as much as `robustness`, and the tests.
[[nodiscard]] VerdictRobustness verdict_robustness(const RankedRuns& runs, const Scorer& scorer,
                                                   const VerdictRobustnessOptions& options = {});

}  // namespace prescope
