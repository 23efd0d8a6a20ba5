#include "report/page/markup.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace prescope::page {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

struct Character {
  std::size_t bytes = 1;
  bool is_valid = false;
};

/// The bytes of a character, by its first one; 0 for none that can be first.
std::size_t length_by(unsigned char first) {
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first < 0xE0U) return 2;
  if (first >= 0xE0U && first < 0xF0U) return 3;
  if (first >= 0xF0U && first < 0xF5U) return 4;
  return 0;
}

/// Neither a surrogate, nor written longer than it need be, nor U+FFFE and U+FFFF, nor too high.
bool is_character(std::uint32_t code, std::size_t bytes) {
  if (bytes == 1) return code >= 0x20U || code == '\t' || code == '\n' || code == '\r';
  if (bytes == 3) {
    return code >= 0x800U && (code < 0xD800U || code > 0xDFFFU) && code < 0xFFFEU;
  }
  return bytes == 2 || (code >= 0x10000U && code <= 0x10FFFFU);
}

Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = length_by(first);
  if (bytes == 0 || bytes > text.size()) return {};
  constexpr std::uint32_t kBitsOfFirst[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code = first & kBitsOfFirst[bytes];
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {.bytes = bytes, .is_valid = is_character(code, bytes)};
}

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::string_view entity = entity_of(text.front());
    if (!next.is_valid) {
      out += kReplacement;
    } else if (!entity.empty()) {
      out += entity;
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{0}{1}>{2}</{0}>", name, attributes, content);
}

}  // namespace prescope::page
