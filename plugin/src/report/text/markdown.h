#pragma once

#include "report/text/tables.h"

namespace prescope {

/// One line in which no character has a meaning for Markdown.
[[nodiscard]] std::string escaped_markdown(std::string_view text);

/// Cells that are good or bad are bold. `heading` is "##" or the like; without one, the title is
/// left out.
[[nodiscard]] std::string markdown_table(const ReportTable& table, std::string_view heading = {});
[[nodiscard]] std::string markdown_tables(const std::vector<ReportTable>& tables,
                                          std::string_view heading);

/// An item for each sentence, and an empty line; empty without sentences.
[[nodiscard]] std::string markdown_list(const std::vector<std::string>& sentences);
/// A Markdown list, and an empty line.
[[nodiscard]] std::string labelled_markdown(const LabelledLines& lines);

}  // namespace prescope
