#pragma once

#include "report/study/correlation_report.h"

namespace prescope {

/// Members of the study's JSON: `measures`, `systems`, `correlations`, `persistence`,
/// `repeated_documents`.
void add_json(StudyReport& report, const CorrelationReport& correlation);
/// A row for each pair of measures.
[[nodiscard]] StudyCsv correlation_csv(const CorrelationStudy& study);

}  // namespace prescope
