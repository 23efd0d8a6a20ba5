#include "report/study/study_report.h"

#include <fmt/format.h>
#include <algorithm>

#include "report/study/page.h"
#include "report/text/clean_text.h"
#include "report/text/json.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

/// Describes the order of the rankings and their depth.
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
  report.result["evaluation"] = evaluation_json(evaluation);
  return report;
}

const std::string& StudyFigure::name() const {
  return std::visit([](const auto& figure) -> const std::string& { return figure.words.id; },
                    drawing);
}

std::string share_text(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return "-";
  return fmt::format("{} ({:.1f} %)", grouped_text(count),
                     100.0 * static_cast<double>(count) / static_cast<double>(of));
}

void StudyCsv::add(const Json& named) {
  std::vector<Json>& row = rows.emplace_back();
  for (const std::string& column : columns) row.push_back(named.value(column, Json()));
}

namespace {

std::string section_text(const StudySection& section, const TextLook& look) {
  std::string out;
  if (!section.drawing.empty()) {
    out += fitted(section.heading, Style::kStrong, look) + section.drawing + '\n';
  }
  return out + tables_text(section.tables, look, section.about);
}

/// Numbers with all digits needed to read back the same double.
std::string csv_text(const Json& cell) {
  if (cell.is_null()) return {};
  if (cell.is_string()) return csv_cell(clean_text(cell.get_ref<const std::string&>()));
  return cell.is_number_float() ? fmt::format("{}", cell.get<double>()) : cell.dump();
}

std::string csv_line(const std::vector<Json>& cells) {
  std::string line;
  for (const Json& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += csv_text(cell);
  }
  return line + '\n';
}

using page::element;
using page::escaped;

std::string subject_markup(const StudyReport& report) {
  std::string items;
  for (const LabelledLine& line : report.subject) {
    items += element("dt", "", escaped(line.label)) + element("dd", "", escaped(line.words)) + '\n';
  }
  return element("dl", "", items) + '\n';
}

std::string section_markup(const StudySection& section) {
  std::string out = element("h2", "", escaped(section.heading)) + '\n';
  for (const StudyFigure& figure : section.figures) {
    out += element("figure", "",
                   page::draw(figure.drawing, page::FigurePlace::kPage) +
                       element("figcaption", "", escaped(figure.caption))) +
           '\n';
  }
  for (const ReportTable& table : section.tables) out += page::table_markup(table);
  if (section.about.empty()) return out;
  const std::string about = fmt::format("{}", fmt::join(section.about, " "));
  return out + element("p", " class=\"about\"", escaped(about)) + '\n';
}

std::string notes_markup(const StudyReport& report) {
  std::string items;
  for (const std::string& note : report.notes) items += element("li", "", escaped(note)) + '\n';
  if (items.empty()) return items;
  return element("h2", "", "Worth knowing") + '\n' + element("ul", "", items) + '\n';
}

}  // namespace

std::string study_text(const StudyReport& report, const TextLook& look) {
  std::string out = labelled_text(report.subject, look) + '\n';
  for (const StudySection& section : report.sections) out += section_text(section, look);
  return ended(out + notes_text(report.notes, look));
}

std::string study_json(const StudyReport& report) {
  Json json = {{"prescope", report.version}, {"study", report.name}};
  for (const auto& [key, value] : report.result.items()) json[key] = value;
  json["notes"] = report.notes;
  return document_text(json);
}

std::string study_csv(const StudyReport& report) {
  std::string out = csv_line({report.csv.columns.begin(), report.csv.columns.end()});
  for (const std::vector<Json>& row : report.csv.rows) out += csv_line(row);
  return out;
}

std::string study_page(const StudyReport& report) {
  std::string body = element("h1", "", escaped(report.title)) + '\n' + subject_markup(report);
  for (const StudySection& section : report.sections) body += section_markup(section);
  body += notes_markup(report);
  body += element("footer", "", escaped(fmt::format("prescope {}", report.version))) + '\n';
  return page::html_page(report.title, body, page::figure_style(page::FigurePlace::kPage));
}

}  // namespace prescope
