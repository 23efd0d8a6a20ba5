#pragma once

#include "measures/pres_curve.h"
#include "report/runs/comparison_report.h"
#include "report/study/figures.h"
#include "studies/agreement.h"
#include "studies/correlation_study.h"
#include "studies/cutoff_study.h"
#include "studies/retrievability.h"

namespace prescope {

struct StudyFigure {
  std::string caption;  ///< how to read it
  page::Figure drawing;

  /// File name of the figure without ".svg": "cutoffs-pres".
  [[nodiscard]] const std::string& name() const;
};

/// A part of a study's results.
struct StudySection {
  std::string heading;
  std::string drawing{};  ///< in text, for a terminal only; lines, each ended
  std::vector<StudyFigure> figures{};
  std::vector<ReportTable> tables{};
  std::vector<std::string> about{};  ///< how to read the tables, a sentence each
};

/// The cells of a CSV file: texts, numbers, or null for an empty one.
struct StudyCsv {
  std::vector<std::string> columns{};
  std::vector<std::vector<Json>> rows{};

  /// Adds a row with the members of `named`, an object, that are called as the columns are.
  void add(const Json& named);
};

/// The result of a study, for all its formats.
struct StudyReport {
  std::string name;                     ///< "cutoffs", as in `prescope study cutoffs`
  std::string title;                    ///< the page's
  std::vector<LabelledLine> subject{};  ///< judgements, runs, topics
  std::vector<StudySection> sections{};
  std::vector<std::string> notes{};  ///< things worth knowing, a sentence each
  Json result = Json::object();      ///< members of the JSON that other studies have not
  StudyCsv csv{};
};

/// A report with judgements, runs, topics and notes; `result` has the key `evaluation`, as
/// `prescope evaluate` writes it. The study adds the rest.
[[nodiscard]] StudyReport study_report(std::string_view name, std::string_view title,
                                       const EvaluationReport& evaluation);

using RunNames = std::vector<std::string>;
[[nodiscard]] RunNames names_of(const EvaluationReport& evaluation);

/// "1,234 (5.6 %)"; "-" of none.
[[nodiscard]] std::string share_text(std::uint64_t count, std::uint64_t of);

// The reports of the studies. `evaluation` is of the same runs, in the same order.
// docs/studies-json.md describes the results.

[[nodiscard]] StudyReport agreement_report(const EvaluationReport& evaluation,
                                           const Agreement& agreement);
[[nodiscard]] StudyReport correlation_report(const EvaluationReport& evaluation,
                                             const CorrelationStudy& study);
/// For a table of scores that was read from `path`.
[[nodiscard]] StudyReport correlation_report(const std::string& path,
                                             const CorrelationStudy& study);
/// The drawing in text has at most `width` columns.
[[nodiscard]] StudyReport curve_report(const PresCurve& curve, std::size_t width);
[[nodiscard]] StudyReport cutoffs_report(const EvaluationReport& evaluation,
                                         const CutoffStudy& study);
[[nodiscard]] StudyReport retrievability_report(const RetrievabilityStudy& study);
/// `robustness` is of the measures of `evaluation`, too.
[[nodiscard]] StudyReport robustness_report(const EvaluationReport& evaluation,
                                            const Robustness& robustness);

/// Like every report, UTF-8, ends with a newline, and does not depend on the locale.
[[nodiscard]] std::string study_text(const StudyReport& report, const TextLook& look);
/// One object with `prescope`, `study`, the result's members and `notes`.
[[nodiscard]] std::string study_json(const StudyReport& report);
[[nodiscard]] std::string study_csv(const StudyReport& report);
/// Returns one HTML page, well-formed XML, with all figures, self-contained.
[[nodiscard]] std::string study_page(const StudyReport& report);

}  // namespace prescope
