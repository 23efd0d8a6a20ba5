#pragma once

#include "core/agreement.h"
#include "report/study/study_report.h"

namespace prescope {

/// `prescope study agreement`: `agreement` is of the runs of `evaluation`, in their order.
[[nodiscard]] StudyReport agreement_study(const EvaluationReport& evaluation,
                                          const Agreement& agreement);

}  // namespace prescope
