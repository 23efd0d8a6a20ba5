#pragma once

#include "report/runs/evaluation_report.h"
#include "runs/comparison.h"
#include "studies/robustness.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(RobustnessOptions, fractions, samples, seed)

/// The result of `prescope compare`; the first run is the baseline.
struct ComparisonReport {
  EvaluationReport evaluation{};  ///< names, scores and oddities of all runs
  Comparison comparison{};
  /// Stability of the verdicts under fewer judgements, if it was asked for.
  std::optional<VerdictRobustness> robustness{};
  /// How many topics that moved are listed for each run, in the table and in Markdown.
  std::size_t moved_listed = 10;
  /// True: two runs go by their names, which are short, instead of A and B.
  bool has_short_names = false;
};

/// The report for people; `docs/compare.md` describes it.
[[nodiscard]] ReportDocument comparison_document(const ComparisonReport& report);
/// One object; `docs/compare-json.md` names every key.
[[nodiscard]] std::string comparison_json(const ComparisonReport& report);
/// Returns the results: differences, effects, citations, robustness, topics that moved.
[[nodiscard]] std::vector<ReportSection> comparison_sections(const ComparisonReport& report);
/// Returns the same results as the object `comparison` of `comparison_json`, which adds `notes` and
/// `words.subject`.
[[nodiscard]] Json comparison_results_json(const ComparisonReport& report);
/// "new against old", "3 runs against old".
[[nodiscard]] std::string comparison_title(const ComparisonReport& report);

// Words of a comparison, shared by its table, Markdown and JSON document.

/// Returns true if there are two runs.
[[nodiscard]] bool is_pair(const ComparisonReport& report) noexcept;
/// Returns A or B for one of two runs without short names, else the run's name.
[[nodiscard]] std::string short_name(const ComparisonReport& report, std::size_t run);

/// Describes the comparison: judgements, runs, ranks, topics.
[[nodiscard]] LabelledLines comparison_subject(const ComparisonReport& report);
/// Returns the baseline's mean over the units of the tests.
[[nodiscard]] std::optional<double> baseline_mean(const ComparisonReport& report,
                                                  std::size_t measure);
/// "212 families, each counted once by the mean of its topics"; empty without a family map.
[[nodiscard]] std::string families_words(const ComparisonReport& report);
/// "B minus A", "run minus baseline".
[[nodiscard]] std::string minus_words(const ComparisonReport& report);
/// Explains the differences: the p-value that decides, its correction, the intervals.
[[nodiscard]] std::vector<std::string> about_differences(const ComparisonReport& report);
/// Explains the columns of the effects.
[[nodiscard]] std::vector<std::string> about_effects(const ComparisonReport& report);
/// Explains the cutoff of the citations, and their shares.
[[nodiscard]] std::vector<std::string> about_citations(const ComparisonReport& report);
/// Says where the runs differ: "B is better over all topics and worse in section D (60 topics)
/// (PRES@100)." The run has slices.
[[nodiscard]] std::string slice_sentence(const ComparisonReport& report, const RunComparison& run);
/// Explains the slices and their table; empty if there are none.
[[nodiscard]] std::vector<std::string> about_slices(const ComparisonReport& report);
[[nodiscard]] std::string slice_verdict_words(const ComparisonReport& report,
                                              const RunComparison& run,
                                              const SliceDifference& slice);
/// Explains the draws and their tables; empty if they were not asked for.
[[nodiscard]] std::vector<std::string> about_robustness(const ComparisonReport& report);
/// "10 topics that moved most, of 300: PRES@100 from A to B".
[[nodiscard]] std::string moved_title(const ComparisonReport& report, const RunComparison& run,
                                      std::size_t shown);

[[nodiscard]] std::string_view to_string(PairedTest test) noexcept;        ///< "t", "sign-flip"
[[nodiscard]] std::string_view to_string(Correction correction) noexcept;  ///< "holm"
[[nodiscard]] std::string verdict_words(const ComparisonReport& report, const RunComparison& run,
                                        const MeasureComparison& measure);

/// "new is better in PRES@100 and worse in MAP@100, compared with old." Each of `verdicts` has a
/// measure and a verdict.
template <class Verdicts>
[[nodiscard]] std::string verdicts_sentence(const std::string& a, const std::string& b,
                                            const Verdicts& verdicts) {
  constexpr std::pair<Verdict, std::string_view> kPhrases[] = {
      {Verdict::kBetter, "better in"},
      {Verdict::kWorse, "worse in"},
      {Verdict::kNoDifference, "not shown to differ in"},
      {Verdict::kIdentical, "the same in every topic in"}};
  std::vector<std::string> parts;
  for (const auto& [verdict, phrase] : kPhrases) {
    std::vector<std::string> names;
    for (const auto& each : verdicts) {
      if (each.verdict == verdict) names.push_back(mean_name(each.measure));
    }
    if (!names.empty()) parts.push_back(fmt::format("{} {}", phrase, listed(names)));
  }
  if (parts.empty()) return fmt::format("Too few topics to compare {} with {}.", b, a);
  return fmt::format("{} is {}, compared with {}.", b, listed(parts), a);
}

}  // namespace prescope
