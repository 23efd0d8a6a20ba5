#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/text/json.h"
#include "report/text/tables.h"

namespace prescope {

/// A column of a table whose rows are made from `Row`s.
template <class Row>
struct ColumnOf {
  std::string title;
  TextGrid::Align align = TextGrid::Align::kRight;
  std::function<TextGrid::Cell(const Row& row)> cell;
};

template <class Row>
using ColumnsOf = std::vector<ColumnOf<Row>>;

/// A table with one row for each of `rows`.
template <class Row, class Rows>
[[nodiscard]] ReportTable table_of(std::string title, const ColumnsOf<Row>& columns,
                                   const Rows& rows) {
  ReportTable table{.title = std::move(title)};
  for (const auto& column : columns) table.columns.push_back({column.title, column.align});
  for (const auto& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto& column : columns) cells.push_back(column.cell(row));
  }
  return table;
}

/// A grid with column titles and without a title of its own.
[[nodiscard]] inline std::string titled_grid_text(const ReportTable& table,
                                                  TableOptions::Color color) {
  std::string text = table_text(table, color);
  text.pop_back();
  return text;
}

/// What something is, by its label: "qrels", "topics".
struct LabelledLine {
  std::string label, words;
};
using LabelledLines = std::vector<LabelledLine>;

/// A line for each, the labels faint.
[[nodiscard]] std::string labelled_text(const LabelledLines& lines, TableOptions::Color color);
/// A Markdown list, and an empty line.
[[nodiscard]] std::string labelled_markdown(const LabelledLines& lines);
/// An array of objects with the keys `label` and `words`.
[[nodiscard]] Json labelled_json(const LabelledLines& lines);

/// A strong heading, then each table indented below its title, and an empty line.
[[nodiscard]] std::string nested_tables_text(const std::string& heading,
                                             const std::vector<ReportTable>& tables,
                                             TableOptions::Color color);

/// Faint lines of at most 100 columns; empty without sentences.
[[nodiscard]] std::string small_print(const std::vector<std::string>& sentences,
                                      TableOptions::Color color);

/// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& parts);

}  // namespace prescope
