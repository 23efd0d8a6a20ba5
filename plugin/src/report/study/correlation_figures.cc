#include "report/study/correlation_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/number_text.h"

namespace prescope {
namespace {

constexpr double kRowOfSystem = 16.0, kLeastHeight = 200.0;

page::FigureSeries sorted_scores(const CorrelationStudy& study, std::size_t measure) {
  page::FigureSeries series{.name = study.table.measures[measure]};
  double place = 1.0;
  for (const std::uint32_t system : descending_order(study.table.scores[measure])) {
    const double score = study.table.scores[measure][system];
    series.points.push_back({place, score});
    series.hints.push_back(fmt::format("{}: {} {}", study.table.systems[system],
                                       study.table.measures[measure], score_text(score)));
    place += 1.0;
  }
  return series;
}

/// Systems in the order of one measure: where their names stand beside the figure.
std::vector<std::uint32_t> rows_of(const CorrelationStudy& study, std::size_t measure) {
  return descending_order(study.table.scores[measure]);
}

/// Lines of systems that change places most are seen best.
std::vector<double> rows_by_system(const CorrelationStudy& study, std::size_t measure) {
  std::vector<double> rows(study.table.systems.size());
  const std::vector<std::uint32_t> order = rows_of(study, measure);
  for (std::size_t row = 0; row < order.size(); ++row) {
    rows[order[row]] = -static_cast<double>(row + 1);
  }
  return rows;
}

page::FigureSeries line_of_system(const CorrelationStudy& study,
                                  const std::vector<std::vector<double>>& rows,
                                  std::size_t system) {
  page::FigureSeries series{.name = study.table.systems[system], .look = system};
  for (std::size_t m = 0; m < rows.size(); ++m) {
    series.points.push_back({static_cast<double>(m), rows[m][system]});
    series.hints.push_back(
        fmt::format("{}: {} {}, place {:g}", study.table.systems[system], study.table.measures[m],
                    score_text(study.table.scores[m][system]), study.places[m][system]));
  }
  return series;
}

}  // namespace

page::XyFigure sorted_scores_figure(const CorrelationStudy& study) {
  page::XyFigure figure{
      .words = {.id = "correlation-scores",
                .title = "Sorted scores of the systems by each measure",
                .what = "For each measure, the scores of all systems from the highest down."},
      .x = {.title = "place by that measure (1 = highest)"},
      .y = {.title = "score (mean over topics)"}};
  for (std::size_t m = 0; m < study.table.measures.size(); ++m) {
    figure.series.push_back(sorted_scores(study, m));
    for (const double score : study.table.scores[m]) {
      if (score < 0.0) return figure;
    }
  }
  figure.y.low = 0.0;
  return figure;
}

page::XyFigure places_figure(const CorrelationStudy& study) {
  const std::size_t systems = study.table.systems.size(), measures = study.table.measures.size();
  page::XyFigure figure{
      .words = {.id = "correlation-places",
                .title = "Place of each system by each measure",
                .what = "A line for each system from its place by one measure to that by the "
                        "next; lines that cross are systems that change places."},
      .x = {.title = "measure", .low = -0.06, .high = static_cast<double>(measures - 1) + 0.06},
      .y = {.title = "place (1 = highest score)",
            .low = -static_cast<double>(systems) - 0.5,
            .high = -0.5},
      .legend = page::XyFigure::Legend::kNone};
  figure.plot = {.width = std::max(300.0, 170.0 * static_cast<double>(measures - 1)),
                 .height = std::max(kLeastHeight, kRowOfSystem * static_cast<double>(systems))};
  std::vector<std::vector<double>> rows;
  for (std::size_t m = 0; m < measures; ++m) {
    rows.push_back(rows_by_system(study, m));
    figure.x.ticks.push_back({static_cast<double>(m), study.table.measures[m]});
  }
  double place = 0.0;
  for (const std::uint32_t system : rows_of(study, 0)) {
    place += 1.0;
    figure.y.ticks.push_back({-place, fmt::format("{}  {}", study.table.systems[system], place)});
  }
  place = 0.0;
  for (const std::uint32_t system : rows_of(study, measures - 1)) {
    place += 1.0;
    figure.right_names.push_back(
        {-place, fmt::format("{}  {}", place, study.table.systems[system])});
  }
  for (std::size_t system = 0; system < systems; ++system) {
    figure.series.push_back(line_of_system(study, rows, system));
  }
  return figure;
}

}  // namespace prescope
