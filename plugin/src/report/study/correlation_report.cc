#include "report/study/correlation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/number_text.h"
#include "report/study/correlation_figures.h"
#include "report/study/correlation_json.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;

std::string place_text(double place) { return fmt::format("{:g}", place); }

ReportTable correlation_table(const CorrelationStudy& study) {
  ReportTable table{.title = "How alike two measures order the systems",
                    .columns = {{"X", Align::kLeft},
                                {"Y", Align::kLeft},
                                {"tau-b"},
                                {"tau-a"},
                                {"Spearman"},
                                {"tau_AP X by Y"},
                                {"Y by X"},
                                {"RBO"},
                                {"alike"},
                                {"reversed"},
                                {"tied"}}};
  for (const MeasureCorrelation& pair : study.correlations) {
    const PairCounts& pairs = pair.pairs;
    const auto overlap = pair.overlap ? std::optional(pair.overlap->extrapolated) : std::nullopt;
    table.rows.push_back({{study.table.measures[pair.x]},
                          {study.table.measures[pair.y]},
                          {score_text(pair.tau_b), Style::kStrong},
                          {score_text(pair.tau_a)},
                          {score_text(pair.spearman)},
                          {score_text(pair.tau_ap_of_x)},
                          {score_text(pair.tau_ap_of_y)},
                          {score_text(overlap)},
                          {grouped_text(pairs.concordant)},
                          {grouped_text(pairs.discordant)},
                          {grouped_text(pairs.tied_x + pairs.tied_y + pairs.tied_both)}});
  }
  return table;
}

StudySection correlation_section(const CorrelationStudy& study) {
  StudySection section{.heading = "Correlation of the orders"};
  section.tables.push_back(correlation_table(study));
  section.about = {
      "1: the same order, -1: the reverse. tau-b and tau-a: pairs of systems ordered alike, less "
      "those reversed, ties accounted for or not.",
      "Spearman: of the places. tau_AP weighs the top more: X by Y is the order by X, judged by "
      "Y.",
      fmt::format("RBO: overlap at every depth, from 0 to 1, p = {:g}. alike, reversed, tied: "
                  "pairs of systems. Scores are compared after rounding to 1e-12.",
                  study.persistence)};
  return section;
}

StudySection places_section(const CorrelationStudy& study) {
  StudySection section{.heading = "Scores and places of the systems"};
  ReportTable table{.title = "Scores and places of the systems",
                    .columns = {{"system", Align::kLeft}}};
  for (const std::string& measure : study.table.measures) {
    table.columns.push_back({measure});
    table.columns.push_back({"place"});
  }
  table.columns.push_back({"places apart"});
  for (std::size_t i = 0; i < study.table.systems.size(); ++i) {
    std::vector<TextGrid::Cell> row = {{study.table.systems[i]}};
    double least = study.places.front()[i], most = least;
    for (std::size_t m = 0; m < study.table.measures.size(); ++m) {
      least = std::min(least, study.places[m][i]);
      most = std::max(most, study.places[m][i]);
      row.push_back({score_text(study.table.scores[m][i])});
      row.push_back({place_text(study.places[m][i]), Style::kFaint});
    }
    row.push_back({place_text(most - least)});
    table.rows.push_back(std::move(row));
  }
  section.tables.push_back(std::move(table));
  section.figures = {
      {.name = "correlation-scores",
       .caption = "Scores of the systems by each measure, each sorted on its own, as in figure 5 "
                  "of Magdy & Jones, SIGIR 2010: where a curve is flat, a measure hardly tells "
                  "systems apart.",
       .draw = [figure = sorted_scores_figure(study)](
                   page::FigurePlace place) { return page::draw(figure, place); }},
      {.name = "correlation-places",
       .caption = "Place of each system by each measure, as in figure 6: lines that cross are "
                  "systems that change places.",
       .draw = [figure = places_figure(study)](page::FigurePlace place) {
         return page::draw(figure, place);
       }}};
  return section;
}

/// "+2" where the system comes out better with each line counted.
std::string gain_text(double once, double every_line) {
  return once == every_line ? "0" : fmt::format("{:+g}", once - every_line);
}

ReportTable repeated_table(const CorrelationStudy& study, const RepeatedDocuments::ByMeasure& by) {
  const std::size_t m = by.measure;
  ReportTable table{.title = fmt::format("{}: tau-b {} between both orders",
                                         study.table.measures[m], score_text(by.tau_b)),
                    .columns = {{"system", Align::kLeft},
                                {"once"},
                                {"place"},
                                {"every line"},
                                {"place"},
                                {"places gained"}}};
  for (const std::uint32_t i : descending_order(study.table.scores[m])) {
    const double once = study.places[m][i], every_line = by.places[i];
    table.rows.push_back(
        {{study.table.systems[i]},
         {score_text(study.table.scores[m][i])},
         {place_text(once)},
         {score_text(by.every_line[i])},
         {place_text(every_line)},
         {gain_text(once, every_line), once == every_line ? Style::kFaint : Style::kStrong}});
  }
  return table;
}

StudySection repeated_section(const CorrelationStudy& study, const RepeatedDocuments& repeated) {
  StudySection section{.heading = "Documents that a run repeats, counted once or at every line"};
  std::vector<std::string> systems;
  for (const RepeatedDocuments::System& system : repeated.systems) {
    systems.push_back(fmt::format("{} ({} in {})", study.table.systems[system.system],
                                  count_text(system.lines, "line"),
                                  count_text(system.topics, "topic")));
  }
  for (const RepeatedDocuments::ByMeasure& by : repeated.measures) {
    section.tables.push_back(repeated_table(study, by));
  }
  section.about = {
      fmt::format("Lines that repeat a document: {}.", fmt::join(systems, ", ")),
      "Everywhere else a document counts once, at its best rank. Here every line of a relevant "
      "document is another one found, as PRESeval, the script of the authors of PRES, counts; "
      "Recall can exceed 1 then. Places gained are gained by nothing else."};
  return section;
}

void fill(StudyReport& report, const CorrelationReport& correlation) {
  report.sections.push_back(correlation_section(correlation.study));
  report.sections.push_back(places_section(correlation.study));
  if (correlation.repeated) {
    report.sections.push_back(repeated_section(correlation.study, *correlation.repeated));
  }
  add_json(report, correlation);
  report.csv = correlation_csv(correlation.study);
}

constexpr std::string_view kCorrelationName = "correlation",
                           kCorrelationTitle = "How alike measures order the systems";

}  // namespace

StudyReport correlation_report(const EvaluationReport& evaluation,
                               const CorrelationReport& correlation) {
  StudyReport report = study_report(kCorrelationName, kCorrelationTitle, evaluation);
  fill(report, correlation);
  return report;
}

StudyReport correlation_report(const std::string& path, const std::string& version,
                               const CorrelationReport& correlation) {
  StudyReport report{.name = std::string(kCorrelationName),
                     .title = std::string(kCorrelationTitle),
                     .version = version};
  report.subject = {{"scores", path},
                    {"systems", grouped_text(correlation.study.table.systems.size())}};
  report.result["scores"] = path;
  fill(report, correlation);
  return report;
}

}  // namespace prescope
