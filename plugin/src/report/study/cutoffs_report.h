#pragma once

#include "core/cutoff_study.h"
#include "report/study/study_report.h"

namespace prescope {

/// `evaluation` is of the same runs, in the same order.
[[nodiscard]] StudyReport cutoffs_report(const EvaluationReport& evaluation,
                                         const CutoffStudy& study);

}  // namespace prescope
