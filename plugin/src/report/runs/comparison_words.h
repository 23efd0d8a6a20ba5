#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/runs/comparison_report.h"

/// Sentences of a comparison that its table, Markdown and page have in common.
namespace prescope {

/// Two runs, called A and B.
[[nodiscard]] bool is_pair(const ComparisonReport& report) noexcept;

struct LabelledLine {
  std::string label, words;
};

/// Judgements, runs, ranks, topics: what was compared.
[[nodiscard]] std::vector<LabelledLine> comparison_subject(const ComparisonReport& report);
/// Which p-value decides and how it was corrected, what the intervals are: how to read the
/// differences.
[[nodiscard]] std::vector<std::string> about_differences(const ComparisonReport& report);
/// What the columns of the effects mean.
[[nodiscard]] std::vector<std::string> about_effects(const ComparisonReport& report);
/// Of the citations within which cutoff, and what a share is.
[[nodiscard]] std::vector<std::string> about_citations(const ComparisonReport& report);
/// What was drawn, and how to read the tables of robustness; nothing where nobody asked.
[[nodiscard]] std::vector<std::string> about_robustness(const ComparisonReport& report);
/// "10 topics that moved most, of 300: PRES@100 from A to B".
[[nodiscard]] std::string moved_title(const ComparisonReport& report, const RunComparison& run,
                                      std::size_t shown);

[[nodiscard]] std::string_view to_string(PairedTest test) noexcept;        ///< "t", "sign-flip"
[[nodiscard]] std::string_view to_string(Correction correction) noexcept;  ///< "holm"
[[nodiscard]] std::string verdict_words(const ComparisonReport& report, const RunComparison& run,
                                        const MeasureComparison& measure);
/// "95 %", "99.5 %".
[[nodiscard]] std::string confidence_words(double share);

}  // namespace prescope
