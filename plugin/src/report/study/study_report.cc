#include "report/study/study_report.h"

#include <fmt/format.h>
#include <algorithm>

#include "report/study/page.h"
#include "report/text/clean_text.h"
#include "report/text/json.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

/// What the rankings are ordered by, and where they end.
std::string order_words(const EvaluationReport& evaluation) {
  std::string words = evaluation.options.ranks.order == RunOrder::kFile
                          ? "order of the lines"
                          : "score, then docno, both descending";
  if (evaluation.options.ranks.depth != RankOptions{}.depth) {
    words += fmt::format(", first {} only", grouped_text(evaluation.options.ranks.depth));
  }
  if (evaluation.options.ranks.judged_only) words += ", unjudged documents removed";
  return words;
}

std::string topic_words(const EvaluationReport& evaluation) {
  const std::size_t topics = evaluation.qrels->topics().size();
  const std::size_t without = evaluation.qrels_oddities.without_relevant.size();
  return fmt::format("{}, {} with relevant documents", count_text(topics, "topic"),
                     grouped_text(topics - without));
}

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

StudyReport study_report(std::string_view name, std::string_view title,
                         const EvaluationReport& evaluation) {
  StudyReport report{
      .name = std::string(name), .title = std::string(title), .version = evaluation.program};
  report.subject = {
      {"qrels",
       fmt::format("{}, docno policy {}, relevant from grade {}", evaluation.qrels_path,
                   to_string(evaluation.qrels->docnos().policy()), evaluation.qrels->min_grade())},
      {"runs", grouped_text(evaluation.runs.size())},
      {"ranks by", order_words(evaluation)},
      {"topics", topic_words(evaluation)}};
  report.notes = evaluation_notes(evaluation);
  std::string text;
  write_json(evaluation, [&](std::string_view piece) { text += piece; });
  report.result["evaluation"] = Json::parse(text);
  return report;
}

std::string figure_name(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name, [](char c) { return !is_of_a_name(c); }, '-');
  return name;
}

std::string exact_text(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : std::string();
}

namespace {

using Color = TableOptions::Color;

std::string study_paragraph(const std::vector<std::string>& sentences, Color color) {
  if (sentences.empty()) return {};
  const std::string text = one_line(fmt::format("{}", fmt::join(sentences, " ")));
  return paint(wrapped(text, 0), Style::kFaint, color) + '\n';
}

std::string subject_text(const StudyReport& report, Color color) {
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft});
  for (const LabelledLine& line : report.subject) {
    grid.add({{line.label, Style::kFaint}, {one_line(line.words)}});
  }
  return grid.to_string(color) + '\n';
}

/// Names come from strangers' files.
std::vector<ReportTable> for_terminal(std::vector<ReportTable> tables) {
  for (ReportTable& table : tables) {
    table.title = one_line(table.title);
    for (ReportTable::Column& column : table.columns) column.title = one_line(column.title);
    for (auto& row : table.rows) {
      for (TextGrid::Cell& cell : row) cell.text = one_line(cell.text);
    }
  }
  return tables;
}

std::string section_text(const StudySection& section, Color color) {
  std::string out;
  if (!section.drawing.empty()) {
    out += paint(section.heading, Style::kStrong, color) + '\n' + section.drawing + '\n';
  }
  return out + tables_text(for_terminal(section.tables), color) +
         study_paragraph(section.about, color);
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_cell(clean_text(cells[i]));
  }
  return line + '\n';
}

std::string subject_markup(const StudyReport& report) {
  std::string items;
  for (const LabelledLine& line : report.subject) {
    items += page::element("dt", "", page::escaped(line.label)) +
             page::element("dd", "", page::escaped(line.words)) + '\n';
  }
  return page::element("dl", "", items) + '\n';
}

std::string section_markup(const StudySection& section) {
  std::string out = page::element("h2", "", page::escaped(section.heading)) + '\n';
  for (const StudyFigure& figure : section.figures) {
    out += page::element("figure", "",
                         figure.draw(page::FigurePlace::kPage) +
                             page::element("figcaption", "", page::escaped(figure.caption))) +
           '\n';
  }
  return out + page::tables_markup(section.tables) + page::about_markup(section.about);
}

}  // namespace

std::string study_text(const StudyReport& report, Color color) {
  std::string out = subject_text(report, color);
  for (const StudySection& section : report.sections) out += section_text(section, color);
  if (!report.notes.empty()) {
    out += paint("Worth knowing", Style::kStrong, color) + '\n';
    for (const std::string& note : report.notes) out += wrapped(one_line(note), 2);
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

std::string study_json(const StudyReport& report) {
  Json json = {{"prescope", report.version}, {"study", report.name}};
  for (const auto& [key, value] : report.result.items()) json[key] = value;
  json["notes"] = report.notes;
  return document_text(json);
}

std::string study_csv(const StudyReport& report) {
  std::string out = csv_line(report.csv.columns);
  for (const std::vector<std::string>& row : report.csv.rows) out += csv_line(row);
  return out;
}

std::string study_page(const StudyReport& report) {
  std::string body = page::element("h1", "", page::escaped(report.title)) + '\n';
  body += subject_markup(report);
  for (const StudySection& section : report.sections) body += section_markup(section);
  body += page::list_markup("Worth knowing", report.notes);
  return page::html_page(report.title, body + page::footer_markup(report.version),
                         page::figure_style(page::FigurePlace::kPage));
}

}  // namespace prescope
