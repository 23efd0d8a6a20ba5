#include "report/text/clean_text.h"

#include <cstddef>
#include <cstdint>

namespace prescope {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
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
  return {.bytes = bytes, .code = code, .is_valid = is_character(code, bytes)};
}

bool is_space_of_a_text(std::uint32_t code) { return code == '\t' || code == '\n' || code == '\r'; }

bool is_obeyed_by_terminals(std::uint32_t code) { return code >= 0x7FU && code <= 0x9FU; }

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = first_character(text);
    out += next.is_valid ? text.substr(0, next.bytes) : kReplacement;
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = first_character(text);
    if (!next.is_valid || is_obeyed_by_terminals(next.code)) {
      out += kReplacement;
    } else if (is_space_of_a_text(next.code)) {
      out += ' ';
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

}  // namespace prescope
