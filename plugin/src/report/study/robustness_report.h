#pragma once

#include <optional>
#include <string>

#include "report/study/study_report.h"
#include "studies/robustness.h"

/// What `prescope study robustness` is put together from.
namespace prescope {

/// "20 %".
[[nodiscard]] std::string percent_of(double fraction);
/// "0.912", "-".
[[nodiscard]] std::string tau_text(std::optional<double> tau);

/// Averages beside those of the paper; nothing where no fraction and measure is in it.
[[nodiscard]] std::optional<ReportTable> paper_table(const Robustness& robustness);
/// What `docs/studies-json.md` has under `robustness`.
[[nodiscard]] Json robustness_json(const Robustness& robustness);
/// A row for each fraction, sample and measure.
[[nodiscard]] StudyCsv robustness_csv(const Robustness& robustness);

/// `prescope study robustness`: `robustness` is of the runs of `evaluation`, in their order, and of
/// its measures.
[[nodiscard]] StudyReport robustness_study(const EvaluationReport& evaluation,
                                           const Robustness& robustness);

/// "round", "ceil", "floor": as `--rounding` has them.
[[nodiscard]] std::string_view to_string(SampleRounding rounding) noexcept;

}  // namespace prescope
