#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report_table.h"

/// Pieces of Markdown documents.
namespace prescope {

/// One line of text that means nothing to Markdown, whatever it holds.
[[nodiscard]] std::string escaped_markdown(std::string_view text);

/// `heading` is "##" or the like. Cells that are good or bad are bold.
[[nodiscard]] std::string markdown_table(const ReportTable& table, std::string_view heading);
[[nodiscard]] std::string markdown_tables(const std::vector<ReportTable>& tables,
                                          std::string_view heading);

/// An item each, and an empty line; nothing where there are none.
[[nodiscard]] std::string markdown_list(const std::vector<std::string>& sentences);

}  // namespace prescope
