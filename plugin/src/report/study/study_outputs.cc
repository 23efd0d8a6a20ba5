#include <fmt/format.h>

#include "report/clean_text.h"
#include "report/delimited.h"
#include "report/page/markup.h"
#include "report/page/page.h"
#include "report/study/study_report.h"

namespace prescope {
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
