#pragma once

#include <string>

#include "measures/pres_curve.h"
#include "report/study/figures.h"
#include "report/study/study_report.h"

namespace prescope {

/// Relevant documents found over rank, between best and worst case: PRES is the area A2 as a share
/// of A1 + A2.
[[nodiscard]] page::XyFigure area_figure(const PresCurve& curve);
/// PRES over recall, between n R^2 / N and R.
[[nodiscard]] page::XyFigure bounds_figure(const PresCurve& curve);
/// PRES and the reciprocal rank of a single relevant document over its rank.
[[nodiscard]] page::XyFigure single_document_figure(const PresCurve& curve);
/// PRES and PRESest of these ranks were there n relevant documents, over n.
[[nodiscard]] page::XyFigure many_documents_figure(const PresCurve& curve);

/// `version` is the program's; the drawing in text has at most `width` columns.
[[nodiscard]] StudyReport curve_report(const PresCurve& curve, const std::string& version,
                                       std::size_t width);

}  // namespace prescope
