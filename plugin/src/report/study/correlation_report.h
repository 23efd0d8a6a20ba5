#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/study/figures.h"
#include "report/study/study_report.h"
#include "studies/correlation_study.h"

namespace prescope {

/// What becomes of the systems' order where runs repeat documents and each line counts again.
struct RepeatedDocuments {
  struct System {
    std::size_t system = 0;  ///< of the table
    std::uint64_t lines = 0;
    std::uint32_t topics = 0;
  };
  /// Of one measure of the table: every system's score, those without repeats as in the table.
  struct ByMeasure {
    std::size_t measure = 0;
    std::vector<double> every_line{};
    std::vector<double> places{};   ///< mid-ranks under these scores
    std::optional<double> tau_b{};  ///< between both orders
  };
  std::vector<System> systems{};
  std::vector<ByMeasure> measures{};
};

/// What the report is made of.
struct CorrelationReport {
  CorrelationStudy study{};
  std::optional<RepeatedDocuments> repeated{};
};

/// Members of the study's JSON: `measures`, `systems`, `correlations`, `persistence`,
/// `repeated_documents`.
void add_json(StudyReport& report, const CorrelationReport& correlation);
/// A row for each pair of measures.
[[nodiscard]] StudyCsv correlation_csv(const CorrelationStudy& study);

/// Scores of each measure, from the highest to the lowest: figure 5 of Magdy & Jones, SIGIR 2010.
[[nodiscard]] page::XyFigure sorted_scores_figure(const CorrelationStudy& study);
/// The place of each system by each measure, a line a system: figure 6.
[[nodiscard]] page::XyFigure places_figure(const CorrelationStudy& study);

/// Of run files.
[[nodiscard]] StudyReport correlation_report(const EvaluationReport& evaluation,
                                             const CorrelationReport& correlation);
/// Of a table of scores; `version` is the program's.
[[nodiscard]] StudyReport correlation_report(const std::string& path, const std::string& version,
                                             const CorrelationReport& correlation);

}  // namespace prescope
