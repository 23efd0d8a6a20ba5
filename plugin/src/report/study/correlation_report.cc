#include "report/study/study_report.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(PairCounts, concordant, discordant, tied_x, tied_y, tied_both)
PRESCOPE_JSON_MEMBERS(MeasureCorrelation, tau_b, tau_a, gamma, spearman, tau_ap_of_x, tau_ap_of_y)

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

/// The rows of the systems in the order of one measure, by system: the first is -1.
std::vector<double> rows_by_system(const CorrelationStudy& study, std::size_t measure) {
  std::vector<double> rows(study.table.systems.size());
  double row = 0.0;
  for (const std::uint32_t system : descending_order(study.table.scores[measure])) {
    rows[system] = row -= 1.0;
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

/// Scores of each measure, from the highest to the lowest: figure 5 of Magdy & Jones, SIGIR 2010.
page::XyFigure sorted_scores_figure(const CorrelationStudy& study) {
  page::XyFigure figure{
      .words = {"correlation-scores", "Sorted scores of the systems by each measure",
                "For each measure, the scores of all systems from the highest down."},
      .x = {.title = "place by that measure (1 = highest)"},
      .y = {.title = "score (mean over topics)"}};
  double lowest = 0.0;
  for (std::size_t m = 0; m < study.table.measures.size(); ++m) {
    figure.series.push_back(sorted_scores(study, m));
    lowest = std::min(lowest, std::ranges::min(study.table.scores[m]));
  }
  if (lowest == 0.0) figure.y.low = 0.0;
  return figure;
}

/// The place of each system by each measure, a line a system: figure 6.
page::XyFigure places_figure(const CorrelationStudy& study) {
  const std::size_t systems = study.table.systems.size(), measures = study.table.measures.size();
  page::XyFigure figure{
      .words = {"correlation-places", "Place of each system by each measure",
                "A line for each system from its place by one measure to that by the "
                "next; lines that cross are systems that change places."},
      .x = {.title = "measure", .low = -0.06, .high = static_cast<double>(measures - 1) + 0.06},
      .y = {.title = "place (1 = highest score)",
            .low = -static_cast<double>(systems) - 0.5,
            .high = -0.5},
      .has_legend = false};
  figure.plot = {.width = std::max(300.0, 170.0 * static_cast<double>(measures - 1)),
                 .height = std::max(kLeastHeight, kRowOfSystem * static_cast<double>(systems))};
  std::vector<std::vector<double>> rows;
  for (std::size_t m = 0; m < measures; ++m) {
    rows.push_back(rows_by_system(study, m));
    figure.x.ticks.push_back({static_cast<double>(m), study.table.measures[m]});
  }
  const std::vector<std::uint32_t> first = descending_order(study.table.scores.front()),
                                   last = descending_order(study.table.scores.back());
  for (std::size_t i = 0; i < systems; ++i) {
    const double place = static_cast<double>(i) + 1.0;
    figure.y.ticks.push_back({-place, fmt::format("{}  {}", study.table.systems[first[i]], place)});
    figure.right_names.push_back(
        {-place, fmt::format("{}  {}", place, study.table.systems[last[i]])});
  }
  for (std::size_t system = 0; system < systems; ++system) {
    figure.series.push_back(line_of_system(study, rows, system));
  }
  return figure;
}

std::string place_text(double place) { return fmt::format("{:g}", place); }

ReportTable correlation_table(const CorrelationStudy& study) {
  const std::vector<std::string>& names = study.table.measures;
  ReportTable table = table_of("How alike two measures order the systems", {"X", "Y"},
                               {"tau-b", "tau-a", "Spearman", "tau_AP X by Y", "Y by X", "RBO",
                                "alike", "reversed", "tied"});
  for (const MeasureCorrelation& it : study.correlations) {
    table.rows.push_back({names[it.x], names[it.y], Cell(score_text(it.tau_b), Style::kStrong),
                          score_text(it.tau_a), score_text(it.spearman), score_text(it.tau_ap_of_x),
                          score_text(it.tau_ap_of_y),
                          score_text(value_of(it.overlap, &RankBiasedOverlap::extrapolated)),
                          grouped_text(it.pairs.concordant), grouped_text(it.pairs.discordant),
                          grouped_text(it.pairs.tied_x + it.pairs.tied_y + it.pairs.tied_both)});
  }
  return table;
}

ReportSection correlation_section(const CorrelationStudy& study) {
  return {
      .heading = "Correlation of the orders",
      .tables = {correlation_table(study)},
      .about = {
          "1: the same order, -1: the reverse. tau-b and tau-a: pairs of systems ordered alike, "
          "less those reversed, ties accounted for or not.",
          "Spearman: of the places. tau_AP weighs the top more: X by Y is the order by X, judged "
          "by Y.",
          fmt::format("RBO: overlap at every depth, from 0 to 1, p = {:g}. alike, reversed, tied: "
                      "pairs of systems. Scores are compared after rounding to 1e-12.",
                      study.persistence)}};
}

ReportTable places_table(const CorrelationStudy& study, const std::string& title) {
  ReportTable table{.title = title};
  for (std::size_t i = 0; i < study.table.systems.size(); ++i) {
    table.add_row().left("system", study.table.systems[i]);
    for (std::size_t m = 0; m < study.places.size(); ++m) {
      table.right(study.table.measures[m], score_text(study.table.scores[m][i]))
          .right("place", {place_text(study.places[m][i]), Style::kFaint});
    }
    const auto place = [i](const std::vector<double>& places) { return places[i]; };
    const auto [least, most] = std::ranges::minmax_element(study.places, {}, place);
    table.right("places apart", place_text(place(*most) - place(*least)));
  }
  return table;
}

ReportSection places_section(const CorrelationStudy& study) {
  ReportSection section{.heading = "Scores and places of the systems"};
  section.tables = {places_table(study, section.heading)};
  section.figures = {
      {"Scores of the systems by each measure, each sorted on its own, as in figure 5 of Magdy & "
       "Jones, SIGIR 2010: if a curve is flat, a measure hardly tells systems apart.",
       sorted_scores_figure(study)},
      {"Place of each system by each measure, as in figure 6: lines that cross are systems that "
       "change places.",
       places_figure(study)}};
  return section;
}

/// Returns "+2" if the system gains two places when each line counts.
Cell gain_cell(double once, double every_line) {
  if (once == every_line) return {"0", Style::kFaint};
  return {fmt::format("{:+g}", once - every_line), Style::kStrong};
}

ReportTable repeated_table(const CorrelationStudy& study, const RepeatedDocuments::ByMeasure& by) {
  const std::vector<double>&scores = study.table.scores[by.measure],
        &places = study.places[by.measure];
  ReportTable table =
      table_of(fmt::format("{}: tau-b {} between both orders", study.table.measures[by.measure],
                           score_text(by.tau_b)),
               {"system"}, {"once", "place", "every line", "place", "places gained"});
  for (const std::uint32_t i : descending_order(scores)) {
    table.rows.push_back({study.table.systems[i], score_text(scores[i]), place_text(places[i]),
                          score_text(by.every_line[i]), place_text(by.places[i]),
                          gain_cell(places[i], by.places[i])});
  }
  return table;
}

ReportSection repeated_section(const CorrelationStudy& study, const RepeatedDocuments& repeated) {
  ReportSection section{.heading = "Documents that a run repeats, counted once or at every line"};
  const auto systems = list_of(repeated.systems, [&](const RepeatedDocuments::System& system) {
    return fmt::format("{} ({} in {})", study.table.systems[system.system],
                       count_text(system.lines, "line"), count_text(system.topics, "topic"));
  });
  section.tables =
      list_of(repeated.measures, [&](const auto& by) { return repeated_table(study, by); });
  section.about = {
      fmt::format("Lines that repeat a document: {}.", fmt::join(systems, ", ")),
      "Everywhere else a document counts once, at its best rank. Here every line of a relevant "
      "document is another one found, as PRESeval, the script of the authors of PRES, counts; "
      "Recall can exceed 1 then. Places gained are gained by nothing else."};
  return section;
}

Json correlation_json(const CorrelationStudy& study, const MeasureCorrelation& pair) {
  const auto& overlap = pair.overlap;
  return merged(Json{{"x", study.table.measures[pair.x]}, {"y", study.table.measures[pair.y]}},
                pair.pairs, pair,
                Json{{"rbo", overlap ? Json(overlap->extrapolated) : Json()},
                     {"rbo_least", overlap ? Json(overlap->least) : Json()}});
}

Json systems_json(const CorrelationStudy& study) {
  return list_of(positions(study.table.systems.size()), [&](std::size_t i) -> Json {
    const auto of_system = [i](const auto& of_systems) { return of_systems[i]; };
    return {{"system", study.table.systems[i]},
            {"scores", list_of(study.table.scores, of_system)},
            {"places", list_of(study.places, of_system)}};
  });
}

Json repeated_json(const CorrelationStudy& study, const RepeatedDocuments& repeated) {
  const auto system_json = [&](const RepeatedDocuments::System& system) -> Json {
    return {{"system", study.table.systems[system.system]},
            {"lines", system.lines},
            {"topics", system.topics}};
  };
  const auto measure_json = [&](const RepeatedDocuments::ByMeasure& by) -> Json {
    return {{"measure", study.table.measures[by.measure]},
            {"tau_b", by.tau_b},
            {"once", study.table.scores[by.measure]},
            {"places_once", study.places[by.measure]},
            {"every_line", by.every_line},
            {"places_every_line", by.places}};
  };
  return {{"systems", list_of(repeated.systems, system_json)},
          {"measures", list_of(repeated.measures, measure_json)}};
}

constexpr std::string_view kCorrelationTitle = "How alike measures order the systems";

ReportDocument with_results(ReportDocument report, const CorrelationStudy& study) {
  report.sections = {correlation_section(study), places_section(study)};
  if (study.repeated) report.sections.push_back(repeated_section(study, *study.repeated));
  const Json correlations =
      list_of(study.correlations, [&](auto& pair) { return correlation_json(study, pair); });
  report.csv.columns = {"x",        "y",           "concordant",  "discordant", "tied_x",
                        "tied_y",   "tied_both",   "tau_b",       "tau_a",      "gamma",
                        "spearman", "tau_ap_of_x", "tau_ap_of_y", "rbo",        "rbo_least"};
  for (const Json& pair : correlations) report.csv.add(pair);
  report.result.update({{"measures", study.table.measures},
                        {"systems", systems_json(study)},
                        {"persistence", study.persistence},
                        {"correlations", correlations},
                        {"repeated_documents",
                         study.repeated ? repeated_json(study, *study.repeated) : Json(nullptr)}});
  return report;
}

}  // namespace

ReportDocument correlation_report(const EvaluationReport& evaluation,
                                  const CorrelationStudy& study) {
  return with_results(study_report("correlation", kCorrelationTitle, evaluation), study);
}

ReportDocument correlation_report(const std::string& path, const CorrelationStudy& study) {
  ReportDocument report = study_report("correlation", kCorrelationTitle);
  report.subject = {{"scores", path}, {"systems", grouped_text(study.table.systems.size())}};
  report.result["scores"] = path;
  return with_results(std::move(report), study);
}

}  // namespace prescope
