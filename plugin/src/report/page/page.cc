#include "report/page/page.h"

#include <fmt/format.h>

#include "report/page/markup.h"
#include "report/page/style.h"

namespace prescope::page {
namespace {

std::string_view class_of(const TextGrid::Cell& cell, TextGrid::Align align) {
  switch (cell.style) {
    case Style::kGood:
      return align == TextGrid::Align::kLeft ? "left good" : "good";
    case Style::kBad:
      return align == TextGrid::Align::kLeft ? "left bad" : "bad";
    case Style::kFaint:
      return align == TextGrid::Align::kLeft ? "left faint" : "faint";
    case Style::kPlain:
    case Style::kStrong:
      break;
  }
  return align == TextGrid::Align::kLeft ? "left" : "";
}

std::string class_attribute(std::string_view classes) {
  return classes.empty() ? "" : fmt::format(" class=\"{}\"", classes);
}

std::string row_markup(const ReportTable& table, const std::vector<TextGrid::Cell>& row) {
  std::string cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TextGrid::Cell cell = c < row.size() ? row[c] : TextGrid::Cell{};
    const std::string classes = class_attribute(class_of(cell, table.columns[c].align));
    cells += c == 0 ? element("th", classes + " scope=\"row\"", escaped(cell.text))
                    : element("td", classes, escaped(cell.text));
  }
  return element("tr", "", cells) + '\n';
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body, std::string_view more_style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n"
      "</html>\n",
      escaped(title), style(), more_style, body);
}

std::string table_markup(const ReportTable& table) {
  std::string titles, rows;
  for (const ReportTable::Column& column : table.columns) {
    const bool is_left = column.align == TextGrid::Align::kLeft;
    titles += element("th", is_left ? " class=\"left\" scope=\"col\"" : " scope=\"col\"",
                      escaped(column.title));
  }
  for (const auto& row : table.rows) rows += row_markup(table, row);
  return fmt::format(
      "<div class=\"wide\"><table><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n"
      "<tbody>\n{}</tbody></table></div>\n",
      escaped(table.title), titles, rows);
}

std::string tables_markup(const std::vector<ReportTable>& tables) {
  std::string out;
  for (const ReportTable& table : tables) out += table_markup(table);
  return out;
}

std::string about_markup(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  return element("p", " class=\"about\"", escaped(fmt::format("{}", fmt::join(sentences, " ")))) +
         '\n';
}

std::string list_markup(std::string_view heading, const std::vector<std::string>& sentences) {
  std::string items;
  for (const std::string& sentence : sentences) {
    items += element("li", "", escaped(sentence)) + '\n';
  }
  if (items.empty()) return items;
  return element("h2", "", escaped(heading)) + '\n' + element("ul", "", items) + '\n';
}

std::string footer_markup(std::string_view version) {
  return element("footer", "", escaped(fmt::format("prescope {}", version))) + '\n';
}

}  // namespace prescope::page
