#pragma once

#include <string>
#include <string_view>

namespace prescope {

/// Returns UTF-8 that every format can carry: invalid bytes, and control characters other than tab,
/// line feed and carriage return, become U+FFFD.
[[nodiscard]] std::string clean_text(std::string_view text);

/// Returns the same for a line of a terminal: those three become spaces, and the controls from
/// U+007F to U+009F, which terminals obey, U+FFFD. A docno from a stranger's file can then neither
/// colour the screen nor begin a line.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace prescope
