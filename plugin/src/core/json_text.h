#pragma once

#include <string>
#include <string_view>

namespace prescope {

/// Appends `utf8` as a JSON string, with its quotation marks.
inline void append_json_text(std::string& out, std::string_view utf8) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20U) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace prescope
