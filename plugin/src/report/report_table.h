#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prescope/report.h"
#include "report/text_grid.h"

namespace prescope {

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

/// The rows alone.
[[nodiscard]] TextGrid grid_of(const ReportTable& table);
/// Title, where there is one, column titles, rows, and an empty line.
[[nodiscard]] std::string table_text(const ReportTable& table, TableOptions::Color color);
[[nodiscard]] std::string tables_text(const std::vector<ReportTable>& tables,
                                      TableOptions::Color color);

/// In lines of at most 100 bytes, broken at spaces, each starting with `indent` spaces.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace prescope
