#pragma once

#include <string>

namespace prescope {

/// Text for people: control characters other than tab, line feed and carriage return, and the
/// characters that change the direction of text or end a line in Unicode (U+061C, U+200E, U+200F,
/// U+2028 to U+202E, U+2066 to U+2069), are written as "\u202E". Bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string visible_text(std::string_view text);

/// The same for a line of a terminal: tabs, line feeds and carriage returns become spaces. A docno
/// from a stranger's file can then neither colour the screen, nor reorder or begin a line.
[[nodiscard]] std::string one_line(std::string_view text);

/// Returns `visible_text` as XML and HTML take it, between tags and in double quotes.
[[nodiscard]] std::string escaped_markup(std::string_view text);

}  // namespace prescope
