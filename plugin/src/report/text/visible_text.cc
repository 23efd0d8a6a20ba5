#include "report/text/visible_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "base/unicode.h"

namespace prescope {

namespace {

bool is_space_of_a_text(char32_t code) { return code == '\t' || code == '\n' || code == '\r'; }

/// Control characters, which terminals obey, and those that change the direction of text or end a
/// line where Unicode is understood.
bool is_shown_escaped(char32_t code) {
  return code < 0x20U || (code >= 0x7FU && code <= 0x9FU) || code == 0x61CU || code == 0x200EU ||
         code == 0x200FU || (code >= 0x2028U && code <= 0x202EU) ||
         (code >= 0x2066U && code <= 0x2069U);
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [bytes, signed_code] = take_character(text);
    const auto code = static_cast<char32_t>(signed_code);
    if (is_shown_escaped(code) && !is_space_of_a_text(code)) {
      out += fmt::format("\\u{:04X}", static_cast<std::uint32_t>(code));
    } else {
      const bool is_text = signed_code >= 0 && code != 0xFFFEU && code != 0xFFFFU;  // as in XML
      out += is_text ? bytes : std::string_view("\xEF\xBF\xBD");
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string line = visible_text(text);
  std::ranges::replace_if(
      line, [](char c) { return is_space_of_a_text(static_cast<unsigned char>(c)); }, ' ');
  return line;
}

std::string escaped_markup(std::string_view text) {
  static const std::map<char, std::string_view> kEntities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string out;
  for (const char c : visible_text(text)) {
    const auto entity = kEntities.find(c);
    entity == kEntities.end() ? out += c : out += entity->second;
  }
  return out;
}

}  // namespace prescope
