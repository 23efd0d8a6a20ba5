#pragma once

#include "measures/pres_curve.h"
#include "report/document/document.h"
#include "report/runs/comparison_report.h"
#include "studies/agreement.h"
#include "studies/correlation_study.h"
#include "studies/cutoff_study.h"
#include "studies/retrievability.h"

namespace prescope {

/// The beginning of a study's report. `name` is that of `prescope study NAME`.
[[nodiscard]] ReportDocument study_report(std::string_view name, std::string_view title);
/// The same with judgements, runs, topics and notes; `result` has the key `evaluation`, as
/// `prescope evaluate` writes it. The study adds the rest.
[[nodiscard]] ReportDocument study_report(std::string_view name, std::string_view title,
                                          const EvaluationReport& evaluation);

using RunNames = std::vector<std::string>;
[[nodiscard]] RunNames names_of(const EvaluationReport& evaluation);

/// "1,234 (5.6 %)"; "-" of none.
[[nodiscard]] std::string share_text(std::uint64_t count, std::uint64_t of);

// The reports of the studies. `evaluation` is of the same runs, in the same order.
// docs/studies-json.md describes the results.

[[nodiscard]] ReportDocument agreement_report(const EvaluationReport& evaluation,
                                              const Agreement& agreement);
[[nodiscard]] ReportDocument correlation_report(const EvaluationReport& evaluation,
                                                const CorrelationStudy& study);
/// For a table of scores that was read from `path`.
[[nodiscard]] ReportDocument correlation_report(const std::string& path,
                                                const CorrelationStudy& study);
/// The drawing in text has at most `width` columns.
[[nodiscard]] ReportDocument curve_report(const PresCurve& curve, std::size_t width);
[[nodiscard]] ReportDocument cutoffs_report(const EvaluationReport& evaluation,
                                            const CutoffStudy& study);
[[nodiscard]] ReportDocument retrievability_report(const RetrievabilityStudy& study);
/// `robustness` is of the measures of `evaluation`, too.
[[nodiscard]] ReportDocument robustness_report(const EvaluationReport& evaluation,
                                               const Robustness& robustness);

}  // namespace prescope
