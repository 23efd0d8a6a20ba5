#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/text/tables.h"

/// Parts of HTML pages. Plain text goes in, markup comes out.
namespace prescope::page {

/// Returns `visible_text` as XML and HTML take it, between tags and in double quotes.
[[nodiscard]] std::string escaped(std::string_view text);

/// Returns `<name attributes>content</name>`; `content` is markup already. `attributes` start with
/// a space if there are any.
[[nodiscard]] std::string element(std::string_view name, std::string_view attributes,
                                  std::string_view content);

/// Returns one HTML page, well-formed XML, for dark and light screens and for paper, self-contained
/// and without a script. `body` is markup, `more_style` is CSS beside that of every page.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body,
                                    std::string_view more_style = {});

/// The first cell of a row names it.
[[nodiscard]] std::string table_markup(const ReportTable& table);

}  // namespace prescope::page
