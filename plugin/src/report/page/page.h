#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report_table.h"

/// What every HTML page is put together from. Plain text goes in, markup comes out.
namespace prescope::page {

/// One HTML page, well-formed XML, with its style, without a script or anything from elsewhere.
/// `body` is markup, `more_style` is what it needs beside the style of every page.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body,
                                    std::string_view more_style = {});

/// The first cell names its row.
[[nodiscard]] std::string table_markup(const ReportTable& table);
[[nodiscard]] std::string tables_markup(const std::vector<ReportTable>& tables);

/// A paragraph in small print; nothing where there is no sentence.
[[nodiscard]] std::string about_markup(const std::vector<std::string>& sentences);
/// A heading and an item each; nothing where there is none.
[[nodiscard]] std::string list_markup(std::string_view heading,
                                      const std::vector<std::string>& sentences);
/// Which program made the page; `version` is its.
[[nodiscard]] std::string footer_markup(std::string_view version);

}  // namespace prescope::page
