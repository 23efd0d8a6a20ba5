#pragma once

#include "core/cutoff_study.h"
#include "report/study/study_report.h"

namespace prescope {

/// Members of the study's JSON: `cutoffs`, `largest_n`, `runs`, `orders`, `flips`.
void add_json(StudyReport& report, const EvaluationReport& evaluation, const CutoffStudy& study);
/// A row for each run and cutoff.
[[nodiscard]] StudyCsv cutoffs_csv(const EvaluationReport& evaluation, const CutoffStudy& study);

}  // namespace prescope
