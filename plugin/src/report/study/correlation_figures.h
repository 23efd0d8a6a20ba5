#pragma once

#include "core/correlation_study.h"
#include "report/page/xy_figure.h"

namespace prescope {

/// Scores of each measure, from the highest to the lowest: figure 5 of Magdy & Jones, SIGIR 2010.
[[nodiscard]] page::XyFigure sorted_scores_figure(const CorrelationStudy& study);
/// The place of each system by each measure, a line a system: figure 6.
[[nodiscard]] page::XyFigure places_figure(const CorrelationStudy& study);

}  // namespace prescope
