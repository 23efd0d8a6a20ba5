#include "report/report_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace prescope {

TextGrid grid_of(const ReportTable& table) {
  std::vector<TextGrid::Align> columns;
  for (const ReportTable::Column& column : table.columns) columns.push_back(column.align);
  TextGrid grid(std::move(columns));
  for (const auto& row : table.rows) grid.add(row);
  return grid;
}

std::string table_text(const ReportTable& table, TableOptions::Color color) {
  TextGrid grid = grid_of(table);
  std::vector<std::string> titles;
  for (const ReportTable::Column& column : table.columns) titles.push_back(column.title);
  grid.add_titles(std::move(titles));
  const std::string rows = grid.to_string(color) + '\n';
  return table.title.empty() ? rows : paint(table.title, Style::kStrong, color) + '\n' + rows;
}

std::string tables_text(const std::vector<ReportTable>& tables, TableOptions::Color color) {
  std::string out;
  for (const ReportTable& table : tables) out += table_text(table, color);
  return out;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  std::string out, line(indent, ' ');
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (line.size() > indent && line.size() + 1 + word.size() > kWidth) {
      out += line + '\n';
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out + line + '\n';
}

}  // namespace prescope
