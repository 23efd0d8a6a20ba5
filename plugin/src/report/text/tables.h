#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/report.h"

namespace prescope {

/// How numbers are printed for people: fixed digits, a dot, no locale; "-" where there is no value.
[[nodiscard]] std::string fixed_text(std::optional<double> value, int digits);
[[nodiscard]] std::string score_text(std::optional<double> score);            ///< 0.1234
[[nodiscard]] std::string difference_text(std::optional<double> difference);  ///< +0.1234, 0.0000
[[nodiscard]] std::string p_value_text(std::optional<double> p);              ///< 0.0312, <0.0001
[[nodiscard]] std::string milliseconds_text(std::optional<double> ms);        ///< three digits
[[nodiscard]] std::string microseconds_text(std::optional<double> us);        ///< 2.6
/// A share of 1 as per cent with two digits that count: 0.021 %.
[[nodiscard]] std::string percent_text(std::optional<double> share);
/// 26,283: thousands parted for the eye.
[[nodiscard]] std::string grouped_text(std::uint64_t count);
/// "1 topic", "2 topics", "26,283 topics".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view singular,
                                     std::string_view plural = {});

enum class Style { kPlain, kStrong, kGood, kBad, kFaint };

/// `text` in the terminal colours of `style`, or as it is where colours are not wanted.
[[nodiscard]] std::string paint(std::string_view text, Style style, TableOptions::Color color);

/// Columns that a UTF-8 text takes on a terminal, one for each code point.
[[nodiscard]] std::size_t text_width(std::string_view utf8) noexcept;

/// Rows of cells whose columns line up, two spaces apart.
class TextGrid {
 public:
  enum class Align { kLeft, kRight };
  struct Cell {
    std::string text;
    Style style = Style::kPlain;
  };

  /// One alignment a column; a row may have fewer cells than there are columns.
  explicit TextGrid(std::vector<Align> columns) : columns_(std::move(columns)) {}

  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  /// Column titles, with a rule below that spans the grid.
  void add_titles(std::vector<std::string> titles);
  /// Lines without trailing spaces, each starting with `indent` spaces.
  [[nodiscard]] std::string to_string(TableOptions::Color color, std::size_t indent = 0) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<Align> columns_;
  std::vector<std::vector<Cell>> rows_;
  bool has_titles_ = false;
};

/// A table apart from how it is printed: as text here, as Markdown in `markdown.h`, as HTML in
/// `page/page.h`.
struct ReportTable {
  struct Column {
    std::string title;
    TextGrid::Align align = TextGrid::Align::kRight;
  };

  std::string title;
  std::vector<Column> columns{};
  std::vector<std::vector<TextGrid::Cell>> rows{};  ///< a row may have fewer cells
};

/// A table without rows; columns of text are aligned left, those of numbers after them right.
[[nodiscard]] ReportTable table_of(std::string title, const std::vector<std::string>& text_columns,
                                   const std::vector<std::string>& number_columns = {});

/// The rows alone.
[[nodiscard]] TextGrid grid_of(const ReportTable& table);
/// Title, where there is one, column titles, rows, and an empty line.
[[nodiscard]] std::string table_text(const ReportTable& table, TableOptions::Color color);
[[nodiscard]] std::string tables_text(const std::vector<ReportTable>& tables,
                                      TableOptions::Color color);

/// In lines of at most 100 columns, broken at spaces, each starting with `indent` spaces, all but
/// the first with `more_indent` further ones.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent,
                                  std::size_t more_indent = 0);

/// One line of text that means nothing to Markdown, whatever it holds.
[[nodiscard]] std::string escaped_markdown(std::string_view text);

/// The first two lines of a Markdown table, and a row of it. Cells that are good or bad are bold.
[[nodiscard]] std::string markdown_titles(const std::vector<ReportTable::Column>& columns);
[[nodiscard]] std::string markdown_row(const std::vector<TextGrid::Cell>& cells,
                                       std::size_t columns);
/// `heading` is "##" or the like.
[[nodiscard]] std::string markdown_table(const ReportTable& table, std::string_view heading);
[[nodiscard]] std::string markdown_tables(const std::vector<ReportTable>& tables,
                                          std::string_view heading);

/// An item each, and an empty line; nothing where there are none.
[[nodiscard]] std::string markdown_list(const std::vector<std::string>& sentences);

/// A column a value, from "▁" for the lowest to "█" for the highest; "▄" where all are the same,
/// "·" where there is none. Of more values than `most_columns` (>= 1), each column stands for
/// several that follow each other, by their mean. UTF-8; empty where there are no values.
[[nodiscard]] std::string sparkline(std::span<const std::optional<double>> values,
                                    std::size_t most_columns);

}  // namespace prescope
