#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/runs/evaluation_report.h"
#include "report/study/study_report.h"
#include "studies/cutoff_study.h"

namespace prescope {

/// Members of the study's JSON: `cutoffs`, `largest_n`, `runs`, `orders`, `flips`.
void add_json(StudyReport& report, const EvaluationReport& evaluation, const CutoffStudy& study);
/// A row for each run and cutoff.
[[nodiscard]] StudyCsv cutoffs_csv(const EvaluationReport& evaluation, const CutoffStudy& study);

[[nodiscard]] std::string_view title_of(SweepMeasure measure) noexcept;  ///< "MAP"
[[nodiscard]] std::string_view key_of(SweepMeasure measure) noexcept;    ///< "map"

/// Where N_max is below n or above the depth of a run: a sentence each.
[[nodiscard]] std::vector<std::string> cutoff_warnings(const EvaluationReport& evaluation,
                                                       const CutoffStudy& study);

/// `evaluation` is of the same runs, in the same order.
[[nodiscard]] StudyReport cutoffs_report(const EvaluationReport& evaluation,
                                         const CutoffStudy& study);

}  // namespace prescope
