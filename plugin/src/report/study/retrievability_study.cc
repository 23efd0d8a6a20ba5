#include "report/study/retrievability_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "report/number_text.h"
#include "report/study/retrievability_findings.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Row = std::vector<TextGrid::Cell>;

std::string share_of_documents(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return "-";
  return fmt::format("{} ({:.1f} %)", grouped_text(count),
                     100.0 * static_cast<double>(count) / static_cast<double>(of));
}

std::string digits_text(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
}

ReportTable summary_table(const RetrievabilityStudy& study,
                          const RetrievabilityFindings& findings) {
  ReportTable table{.title = fmt::format("Documents found within rank {}", study.cutoff),
                    .columns = {{"Run", Align::kLeft},
                                {"topics"},
                                {"documents found"},
                                {"never found"},
                                {"mean r(d)"},
                                {"highest"},
                                {"Gini"}}};
  for (std::size_t i = 0; i < study.sources.size(); ++i) {
    const RetrievabilitySummary& summary = findings.summaries[i];
    table.rows.push_back({{findings.names[i]},
                          {grouped_text(study.sources[i].scores.topics())},
                          {grouped_text(summary.retrieved)},
                          {share_of_documents(summary.never(), summary.population)},
                          {digits_text(summary.mean, 3)},
                          {grouped_text(summary.highest)},
                          {digits_text(summary.gini, 4), Style::kStrong}});
  }
  return table;
}

ReportTable comparison_table(const RetrievabilityFindings& findings) {
  ReportTable table{.title = fmt::format("Against {}", findings.names.front()),
                    .columns = {{"Run", Align::kLeft},
                                {"found by both"},
                                {"no longer found"},
                                {"newly found"},
                                {"found for more topics"},
                                {"for fewer"}}};
  for (std::size_t i = 1; i < findings.names.size(); ++i) {
    const auto& comparison = findings.comparisons[i];
    if (!comparison) continue;
    table.rows.push_back({{findings.names[i]},
                          {grouped_text(comparison->in_both)},
                          {grouped_text(comparison->lost.size()), Style::kBad},
                          {grouped_text(comparison->gained.size()), Style::kGood},
                          {grouped_text(comparison->risen)},
                          {grouped_text(comparison->fallen)}});
  }
  return table;
}

std::vector<ReportTable> lost_tables(const RetrievabilityStudy& study,
                                     const RetrievabilityFindings& findings) {
  std::vector<ReportTable> tables;
  for (std::size_t i = 1; i < findings.names.size() && study.top > 0; ++i) {
    const auto& comparison = findings.comparisons[i];
    if (!comparison || comparison->lost.empty()) continue;
    const std::size_t shown = std::min(study.top, comparison->lost.size());
    ReportTable table{.title = fmt::format("No longer found by {}: {} of {}", findings.names[i],
                                           shown, grouped_text(comparison->lost.size())),
                      .columns = {{"Document", Align::kLeft},
                                  {fmt::format("topics with {}", findings.names.front())}}};
    for (const RetrievabilityChange& change : std::span(comparison->lost).first(shown)) {
      table.rows.push_back(
          {{std::string(study.documents.name(change.document))}, {grouped_text(change.a)}});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

ReportTable most_found_table(const RetrievabilityStudy& study,
                             const RetrievabilityFindings& findings) {
  constexpr std::size_t kMostColumns = 6;
  const std::size_t columns = std::min(kMostColumns, study.sources.size());
  ReportTable table{
      .title = fmt::format("Documents that {} finds for most topics", findings.names.front()),
      .columns = {{"Document", Align::kLeft}}};
  for (std::size_t i = 0; i < columns; ++i) table.columns.push_back({findings.names[i]});
  for (const std::uint32_t document : most_found(study)) {
    Row row = {{std::string(study.documents.name(document))}};
    for (std::size_t i = 0; i < columns; ++i) {
      row.push_back({grouped_text(study.sources[i].scores.score(document))});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable never_found_table(const RetrievabilityStudy& study,
                              const std::vector<std::uint32_t>& never) {
  const std::size_t shown = std::min(study.top, never.size());
  ReportTable table{.title = fmt::format("Found by none, for no topic: {} of {}", shown,
                                         grouped_text(never.size())),
                    .columns = {{"Document", Align::kLeft}}};
  for (const std::uint32_t document : std::span(never).first(shown)) {
    table.rows.push_back({{std::string(study.documents.name(document))}});
  }
  return table;
}

std::string population_words(const RetrievabilityStudy& study,
                             const RetrievabilityFindings& findings) {
  if (study.listed || study.population) {
    return fmt::format("{} ({})", grouped_text(findings.population), study.population_source);
  }
  return fmt::format("{}, those that at least one run found: how many there are is not known",
                     grouped_text(findings.population));
}

void add_notes(const RetrievabilityStudy& study, const RetrievabilityFindings& findings,
               StudyReport& report) {
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
  if (findings.unlisted > 0) {
    report.notes.push_back(
        fmt::format("{} found, but not in the list of documents: left out of the numbers.",
                    count_text(findings.unlisted, "document was", "documents were")));
  }
  if (study.population && !study.listed) {
    for (std::size_t i = 0; i < study.sources.size(); ++i) {
      if (findings.summaries[i].population > findings.population) {
        report.notes.push_back(
            fmt::format("{} finds {}, more than the collection is said to have.", findings.names[i],
                        count_text(findings.summaries[i].retrieved, "document")));
      }
    }
  }
}

std::vector<std::string> about(const RetrievabilityStudy& study) {
  return {fmt::format("r(d) is the number of topics for which a document stands at rank {} or "
                      "better (cumulative retrievability; Azzopardi & Vinay, CIKM 2008).",
                      study.cutoff),
          "The Gini coefficient is 0 where every document is as retrievable as any other, and "
          "comes near 1 where few documents take all ranks."};
}

}  // namespace

StudyReport retrievability_study(const RetrievabilityStudy& study) {
  const auto findings =
      std::make_shared<const RetrievabilityFindings>(retrievability_findings(study));
  StudyReport report{.name = "retrievability",
                     .title = "How findable are the documents?",
                     .version = study.version};
  report.subject = {{"runs", grouped_text(study.sources.size())},
                    {"within rank", grouped_text(study.cutoff)},
                    {"ranks by", study.order},
                    {"documents", population_words(study, *findings)}};
  report.sections.push_back({.heading = "Retrievability",
                             .figures = retrievability_figures(findings),
                             .tables = {summary_table(study, *findings)},
                             .about = about(study)});
  ReportTable comparisons = comparison_table(*findings);
  if (!comparisons.rows.empty()) {
    StudySection section{.heading = "What became unfindable"};
    section.tables.push_back(std::move(comparisons));
    for (ReportTable& table : lost_tables(study, *findings)) {
      section.tables.push_back(std::move(table));
    }
    report.sections.push_back(std::move(section));
  }
  StudySection documents{.heading = "Documents"};
  const std::vector<std::uint32_t> never = never_found(study);
  if (study.top > 0) documents.tables.push_back(most_found_table(study, *findings));
  if (study.top > 0 && !never.empty()) documents.tables.push_back(never_found_table(study, never));
  if (!documents.tables.empty()) report.sections.push_back(std::move(documents));
  add_notes(study, *findings, report);
  report.result["retrievability"] = retrievability_json(study, *findings);
  report.csv = retrievability_csv(study);
  return report;
}

}  // namespace prescope
