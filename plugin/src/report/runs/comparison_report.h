#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "prescope/report.h"
#include "report/runs/evaluation_report.h"
#include "report/text/json.h"
#include "runs/comparison.h"
#include "studies/robustness.h"

namespace prescope {

/// What `prescope compare` found out about runs; the first is the baseline.
struct ComparisonReport {
  EvaluationReport evaluation{};  ///< names, scores and oddities of all runs
  Comparison comparison{};
  /// How the verdicts fare under fewer judgements, if that was asked for.
  std::optional<VerdictRobustness> robustness{};
};

struct ComparisonTableOptions {
  TableOptions::Color color = TableOptions::Color::kNever;
  /// Topics that moved most, listed for each run; at most those of the comparison.
  std::size_t moved = 10;
};

/// For people; `docs/compare.md` describes it. UTF-8, ends with a newline, independent of the
/// locale, as all of them are.
[[nodiscard]] std::string comparison_table(const ComparisonReport& report,
                                           const ComparisonTableOptions& options = {});
[[nodiscard]] std::string comparison_markdown(const ComparisonReport& report,
                                              const ComparisonTableOptions& options = {});
/// One object; `docs/compare-json.md` names every key.
[[nodiscard]] std::string comparison_json(const ComparisonReport& report);
/// "new against old", "3 runs against old".
[[nodiscard]] std::string comparison_title(const ComparisonReport& report);

/// How verdicts fare if citations are unknown; `docs/compare-json.md` names every key. `names` of
/// the runs or arms, the baseline first.
[[nodiscard]] Json robustness_json(const VerdictRobustness& robustness,
                                   std::span<const std::string> names);

}  // namespace prescope
