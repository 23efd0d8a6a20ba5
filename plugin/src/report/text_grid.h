#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/report.h"

namespace prescope {

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

}  // namespace prescope
