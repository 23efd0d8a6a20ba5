#pragma once

#include <string>
#include <string_view>

namespace prescope::page {

/// Text as XML and HTML take it, between tags and in double quotes. What is no UTF-8, and control
/// characters, which XML has not, become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// `<name attributes>content</name>`; `content` is markup already. `attributes` start with a space
/// where there are any.
[[nodiscard]] std::string element(std::string_view name, std::string_view attributes,
                                  std::string_view content);

}  // namespace prescope::page
