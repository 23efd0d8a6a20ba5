#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/text/tables.h"

namespace prescope::page {

/// The style sheet of every page, for dark and light screens and for paper.
[[nodiscard]] std::string_view style() noexcept;

/// Text as XML and HTML take it, between tags and in double quotes. What is no UTF-8, and control
/// characters, which XML has not, become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// `<name attributes>content</name>`; `content` is markup already. `attributes` start with a space
/// where there are any.
[[nodiscard]] std::string element(std::string_view name, std::string_view attributes,
                                  std::string_view content);

}  // namespace prescope::page

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
