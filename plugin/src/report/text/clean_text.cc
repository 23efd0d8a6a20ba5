#include "report/text/clean_text.h"

#include <utf8proc.h>
#include <algorithm>

namespace prescope {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_space_of_a_text(char32_t code) { return code == '\t' || code == '\n' || code == '\r'; }

bool is_text(char32_t code) {
  return (code >= 0x20U || is_space_of_a_text(code)) && code != 0xFFFEU && code != 0xFFFFU;
}

/// Calls `use` with each character and its code; invalid ones become U+FFFD.
template <class Use>
void for_each_character(std::string_view text, const Use& use) {
  while (!text.empty()) {
    utf8proc_int32_t code = 0;
    const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                        static_cast<utf8proc_ssize_t>(text.size()), &code);
    const auto size = static_cast<std::size_t>(std::max<utf8proc_ssize_t>(bytes, 1));
    const bool is_valid = bytes > 0 && is_text(static_cast<char32_t>(code));
    use(is_valid ? text.substr(0, size) : kReplacement, static_cast<char32_t>(code));
    text.remove_prefix(size);
  }
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::string_view character, char32_t) { out += character; });
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::string_view character, char32_t code) {
    const bool is_obeyed_by_terminals = code >= 0x7FU && code <= 0x9FU;
    out += is_space_of_a_text(code) ? " " : is_obeyed_by_terminals ? kReplacement : character;
  });
  return out;
}

}  // namespace prescope
