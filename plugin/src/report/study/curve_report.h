#pragma once

#include <string>

#include "core/pres_curve.h"
#include "report/study/study_report.h"

namespace prescope {

/// `version` is the program's; the drawing in text has at most `width` columns.
[[nodiscard]] StudyReport curve_report(const PresCurve& curve, const std::string& version,
                                       std::size_t width);

}  // namespace prescope
