#include "report/text_pieces.h"

#include <array>
#include <charconv>

namespace prescope {
namespace {

/// More than any 64-bit integer, shortest double, or four decimals of a score below 10^12 takes.
using NumberBuffer = std::array<char, 32>;

std::string_view text_of(const NumberBuffer& buffer, std::to_chars_result result) {
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

}  // namespace

TextPieces& TextPieces::operator<<(std::uint64_t number) {
  NumberBuffer buffer;
  return *this << text_of(buffer,
                          std::to_chars(buffer.data(), buffer.data() + buffer.size(), number));
}

TextPieces& TextPieces::operator<<(double number) {
  NumberBuffer buffer;
  return *this << text_of(buffer,
                          std::to_chars(buffer.data(), buffer.data() + buffer.size(), number));
}

void TextPieces::score(std::optional<double> score, std::size_t width) {
  constexpr int kDigits = 4;
  NumberBuffer buffer;
  std::string_view text = "-";
  if (score) {
    text = text_of(buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), *score,
                                         std::chars_format::fixed, kDigits));
  }
  if (text.size() < width) spaces(width - text.size());
  *this << text;
}

void TextPieces::spaces(std::size_t count) {
  constexpr std::string_view kSpaces = "                                ";
  for (; count > kSpaces.size(); count -= kSpaces.size()) *this << kSpaces;
  *this << kSpaces.substr(0, count);
}

void TextPieces::finish() {
  if (!pending_.empty()) (*sink_)(pending_);
  pending_.clear();
}

}  // namespace prescope
