#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/study/study_report.h"
#include "studies/agreement.h"

/// What the outputs of `prescope study agreement` have in common.
namespace prescope {

/// What figures are drawn from, long after the study was made.
struct AgreementSource {
  Agreement agreement;
  std::vector<std::string> names;              // of runs
  std::vector<std::vector<std::size_t>> best;  // for each measure, runs from the best on
};

/// "AP@100 and PRES@100".
[[nodiscard]] std::string pair_words(const Agreement& agreement, const MeasureAgreement& of);

/// The chart of all pairs of measures: figure 7 of the PRES paper.
[[nodiscard]] StudyFigure agreement_chart(const std::shared_ptr<const AgreementSource>& source);
/// All pairs of runs by one measure.
[[nodiscard]] StudyFigure agreement_grid(const std::shared_ptr<const AgreementSource>& source,
                                         std::size_t measure);
/// What `docs/studies-json.md` has under `agreement`.
[[nodiscard]] Json agreement_json(const AgreementSource& source);
/// A row for each pair of runs and measure.
[[nodiscard]] StudyCsv agreement_csv(const AgreementSource& source);

/// `prescope study agreement`: `agreement` is of the runs of `evaluation`, in their order.
[[nodiscard]] StudyReport agreement_study(const EvaluationReport& evaluation,
                                          const Agreement& agreement);

}  // namespace prescope
