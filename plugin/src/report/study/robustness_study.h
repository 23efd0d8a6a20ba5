#pragma once

#include "core/robustness.h"
#include "report/study/study_report.h"

namespace prescope {

/// `prescope study robustness`: `robustness` is of the runs of `evaluation`, in their order, and of
/// its measures.
[[nodiscard]] StudyReport robustness_study(const EvaluationReport& evaluation,
                                           const Robustness& robustness);

/// "round", "ceil", "floor": as `--rounding` has them.
[[nodiscard]] std::string_view to_string(SampleRounding rounding) noexcept;

}  // namespace prescope
