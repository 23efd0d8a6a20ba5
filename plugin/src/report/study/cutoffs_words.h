#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/cutoff_study.h"
#include "report/evaluation_report.h"

namespace prescope {

[[nodiscard]] std::string_view title_of(SweepMeasure measure) noexcept;  ///< "MAP"
[[nodiscard]] std::string_view key_of(SweepMeasure measure) noexcept;    ///< "map"

/// Where N_max is below n or above the depth of a run: a sentence each.
[[nodiscard]] std::vector<std::string> cutoff_warnings(const EvaluationReport& evaluation,
                                                       const CutoffStudy& study);

}  // namespace prescope
