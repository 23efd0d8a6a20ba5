#include "report/study/study_report.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(DocumentsByScore, topics, documents)

namespace {

ReportTable summary_table(const RetrievabilityStudy& study) {
  ReportTable table =
      table_of(fmt::format("Documents found within rank {}", study.cutoff), {"Run"},
               {"topics", "documents found", "never found", "mean r(d)", "highest", "Gini"});
  for (const RetrievabilitySource& source : study.sources) {
    const RetrievabilitySummary& of = source.summary;
    table.rows.push_back({source.name, grouped_text(source.scores.topics()),
                          grouped_text(of.retrieved), share_text(of.never(), of.population),
                          fixed_text(of.mean, 3), grouped_text(of.highest),
                          Cell(score_text(of.gini), Style::kStrong)});
  }
  return table;
}

ReportTable comparison_table(const RetrievabilityStudy& study) {
  ReportTable table = table_of(
      fmt::format("Against {}", study.sources.front().name), {"Run"},
      {"found by both", "no longer found", "newly found", "found for more topics", "for fewer"});
  for (const auto& source : study.sources) {
    const auto& comparison = source.comparison;
    if (!comparison) continue;
    table.rows.push_back({source.name, grouped_text(comparison->in_both),
                          Cell(grouped_text(comparison->lost.size()), Style::kBad),
                          Cell(grouped_text(comparison->gained.size()), Style::kGood),
                          grouped_text(comparison->risen), grouped_text(comparison->fallen)});
  }
  return table;
}

std::vector<ReportTable> lost_tables(const RetrievabilityStudy& study) {
  std::vector<ReportTable> tables;
  for (const auto& source : study.sources) {
    const auto& comparison = source.comparison;
    if (!comparison || comparison->lost.empty() || study.top == 0) continue;
    const auto shown = comparison->lost | std::views::take(study.top);
    ReportTable& table = tables.emplace_back(
        table_of(fmt::format("No longer found by {}: {} of {}", source.name, shown.size(),
                             grouped_text(comparison->lost.size())),
                 {"Document"}, {fmt::format("topics with {}", study.sources.front().name)}));
    for (const RetrievabilityChange& change : shown) {
      table.rows.push_back({study.documents.name(change.document), grouped_text(change.a)});
    }
  }
  return tables;
}

ReportTable most_found_table(const RetrievabilityStudy& study) {
  constexpr std::size_t kMostColumns = 6;
  const auto sources = study.sources | std::views::take(kMostColumns);
  ReportTable table = table_of(
      fmt::format("Documents that {} finds for most topics", sources.front().name), {"Document"});
  if (const std::size_t all = study.sources.size(); all > kMostColumns) {
    table.title += fmt::format(" (the first {} of {} runs)", kMostColumns, all);
  }
  for (const auto& source : sources) table.columns.push_back({source.name});
  for (const std::uint32_t document : most_found(study)) {
    std::vector<Cell>& row = table.rows.emplace_back(1, study.documents.name(document));
    for (const auto& source : sources) row.push_back(grouped_text(source.scores.score(document)));
  }
  return table;
}

ReportTable never_found_table(const RetrievabilityStudy& study,
                              const std::vector<std::uint32_t>& never) {
  const auto shown = never | std::views::take(study.top);
  ReportTable table = table_of(fmt::format("Found by none, for no topic: {} of {}", shown.size(),
                                           grouped_text(never.size())),
                               {"Document"});
  for (const std::uint32_t document : shown) {
    table.rows.push_back({study.documents.name(document)});
  }
  return table;
}

std::string population_words(const RetrievabilityStudy& study) {
  if (!study.population_source.empty()) {
    return fmt::format("{} ({})", grouped_text(study.population), study.population_source);
  }
  return fmt::format("{}, those that at least one run found: how many there are is not known",
                     grouped_text(study.population));
}

void add_notes(const RetrievabilityStudy& study, ReportDocument& report) {
  for (const RetrievabilitySource& source : study.sources) {
    if (source.scores.repeated() > 0) {
      report.notes.push_back(fmt::format(
          "{}: {} of a document that its topic's ranking had already; a document counts once for "
          "each topic.",
          source.name, count_text(source.scores.repeated(), "hit")));
    }
    for (const std::string& note : source.notes) {
      report.notes.push_back(fmt::format("{}: {}", source.name, note));
    }
    if (source.group != study.sources.front().group) {
      report.notes.push_back(
          fmt::format("{} is not compared with {}: docids of another generation of the index, or "
                      "of another session, name other documents. Capture docnos, or write runs.",
                      source.name, study.sources.front().name));
    }
  }
  if (study.unlisted > 0) {
    report.notes.push_back(
        fmt::format("{} found, but not in the list of documents: left out of the numbers.",
                    count_text(study.unlisted, "document was", "documents were")));
  }
  for (const RetrievabilitySource& source : study.sources) {
    if (study.listed || source.summary.population <= study.population) continue;
    report.notes.push_back(fmt::format("{} finds {}, more than the collection is said to have.",
                                       source.name,
                                       count_text(source.summary.retrieved, "document")));
  }
}

std::vector<std::string> about(const RetrievabilityStudy& study) {
  return {fmt::format("r(d) is the number of topics for which a document stands at rank {} or "
                      "better (cumulative retrievability; Azzopardi & Vinay, CIKM 2008).",
                      study.cutoff),
          "The Gini coefficient is 0 if every document is as retrievable as any other, and "
          "comes near 1 if few documents take all ranks."};
}

/// Points for a drawing: a curve of thousands of points looks the same with these.
std::vector<page::Point> thinned(const std::vector<page::Point>& points) {
  constexpr std::size_t kMostPoints = 40;
  if (points.size() <= kMostPoints) return points;
  std::vector<page::Point> some;
  for (std::size_t i = 0; i < kMostPoints; ++i) {
    some.push_back(points[i * (points.size() - 1) / (kMostPoints - 1)]);
  }
  return some;
}

ReportFigure lorenz_figure(const RetrievabilityStudy& study) {
  page::XyFigure figure{
      .words = {"retrievability-lorenz", "Lorenz curves of retrievability",
                "Share of retrievals by share of documents"},
      .x = {.title = "documents, the least retrievable first (%)", .low = 0.0, .high = 100.0},
      .y = {.title = "retrievals (%)", .low = 0.0, .high = 100.0},
      .plot = {.width = 460.0, .height = 400.0}};
  for (const RetrievabilitySource& source : study.sources) {
    const auto points = list_of(source.summary.lorenz, [](const LorenzPoint& point) {
      return page::Point{100.0 * point.documents, 100.0 * point.retrievability};
    });
    figure.series.push_back({.name = source.name, .points = thinned(points)});
  }
  figure.series.push_back(
      {.name = "all documents alike", .points = {{0.0, 0.0}, {100.0, 100.0}}, .has_marks = false});
  return {
      "The least retrievable documents, as a share of all, and their share of all retrievals. "
      "On the diagonal every document would be as retrievable as any other; the Gini "
      "coefficient is twice the area between it and the curve.",
      std::move(figure)};
}

std::vector<page::Point> tail_of(const RetrievabilitySummary& summary) {
  std::vector<page::Point> points;
  std::uint64_t left = summary.retrieved;
  for (const auto& [topics, documents] : summary.by_score) {
    if (topics == 0) continue;
    points.push_back({static_cast<double>(topics), static_cast<double>(left)});
    left -= documents;
  }
  return points;
}

ReportFigure tail_figure(const RetrievabilityStudy& study) {
  using Kind = page::FigureAxis::Kind;
  page::XyFigure figure{.words = {"retrievability-topics", "Documents by the topics that find them",
                                  "Documents found for at least so many topics"},
                        .x = {.title = "topics (at least)", .kind = Kind::kLogarithmic},
                        .y = {.title = "documents found", .kind = Kind::kLogarithmic, .low = 1.0}};
  for (const RetrievabilitySource& source : study.sources) {
    figure.series.push_back({.name = source.name, .points = thinned(tail_of(source.summary))});
  }
  return {
      "How many documents are found for at least so many topics. A curve that ends far to the "
      "right has documents that come back for many topics.",
      std::move(figure)};
}

/// Longer lists of documents are cut off; CSV has all of them.
constexpr std::size_t kMostInJson = 1000;

Json documents_json(const RetrievabilityStudy& study,
                    const std::vector<RetrievabilityChange>& changes) {
  return list_of(changes | std::views::take(kMostInJson), [&](auto& change) -> Json {
    return {{"document", study.documents.name(change.document)}, {"a", change.a}, {"b", change.b}};
  });
}

Json comparison_json(const RetrievabilityStudy& study, const RetrievabilitySource& source) {
  const RetrievabilityComparison& comparison = *source.comparison;
  return {{"a", study.sources.front().name},
          {"b", source.name},
          {"in_both", comparison.in_both},
          {"risen", comparison.risen},
          {"fallen", comparison.fallen},
          {"lost", comparison.lost.size()},
          {"gained", comparison.gained.size()},
          {"lost_documents", documents_json(study, comparison.lost)},
          {"gained_documents", documents_json(study, comparison.gained)}};
}

Json source_json(const RetrievabilitySource& source) {
  const RetrievabilitySummary& summary = source.summary;
  return {{"name", source.name},
          {"path", source.path},
          {"topics", source.scores.topics()},
          {"repeated_hits", source.scores.repeated()},
          {"population", summary.population},
          {"retrieved", summary.retrieved},
          {"never_retrieved", summary.never()},
          {"retrievals", summary.total},
          {"mean", summary.mean},
          {"highest", summary.highest},
          {"gini", summary.gini},
          {"by_score", summary.by_score}};
}

Json retrievability_json(const RetrievabilityStudy& study) {
  const std::vector<std::uint32_t> never = never_found(study);
  const auto name_of = [&](std::uint32_t document) { return study.documents.name(document); };
  Json comparisons = Json::array();
  for (const RetrievabilitySource& source : study.sources) {
    if (source.comparison) comparisons.push_back(comparison_json(study, source));
  }
  const auto found_json = [&](std::uint32_t document) -> Json {
    return {{"document", name_of(document)},
            {"topics", list_of(study.sources, [&](const RetrievabilitySource& source) {
               return source.scores.score(document);
             })}};
  };
  const bool known = !study.population_source.empty();
  return {{"cutoff", study.cutoff},
          {"population", study.population},
          {"population_source", known ? Json(study.population_source) : Json(nullptr)},
          {"unlisted", study.unlisted},
          {"sources", list_of(study.sources, source_json)},
          {"comparisons", std::move(comparisons)},
          {"most_found", list_of(most_found(study), found_json)},
          {"never_found", study.listed ? Json(never.size()) : Json(nullptr)},
          {"never_found_documents", list_of(never | std::views::take(kMostInJson), name_of)}};
}

void add_csv(CsvTable& csv, const RetrievabilityStudy& study) {
  csv.columns = {"document"};
  if (study.csv == RetrievabilityStudy::Csv::kNone) return;
  for (const auto& source : study.sources) csv.columns.push_back(source.name);
  for (std::uint32_t i = 0; i < study.counted(); ++i) {
    std::vector<Json>& row = csv.rows.emplace_back();
    row.emplace_back(study.documents.name(i));
    for (const auto& source : study.sources) row.emplace_back(source.scores.score(i));
  }
}

}  // namespace

ReportDocument retrievability_report(const RetrievabilityStudy& study) {
  ReportDocument report = study_report("retrievability", "How findable are the documents?");
  report.subject = {{"runs", grouped_text(study.sources.size())},
                    {"within rank", grouped_text(study.cutoff)},
                    {"ranks by", study.order},
                    {"documents", population_words(study)}};
  report.sections.push_back({.heading = "Retrievability",
                             .figures = {lorenz_figure(study), tail_figure(study)},
                             .tables = {summary_table(study)},
                             .about = about(study)});
  ReportTable comparisons = comparison_table(study);
  if (!comparisons.rows.empty()) {
    ReportSection& section = report.sections.emplace_back();
    section.heading = "Documents that became unfindable";
    section.tables = lost_tables(study);
    section.tables.insert(section.tables.begin(), std::move(comparisons));
  }
  ReportSection documents{.heading = "Documents"};
  const std::vector<std::uint32_t> never = never_found(study);
  if (study.top > 0) documents.tables.push_back(most_found_table(study));
  if (study.top > 0 && !never.empty()) documents.tables.push_back(never_found_table(study, never));
  if (!documents.tables.empty()) report.sections.push_back(std::move(documents));
  add_notes(study, report);
  report.result["retrievability"] = retrievability_json(study);
  add_csv(report.csv, study);
  return report;
}

}  // namespace prescope
