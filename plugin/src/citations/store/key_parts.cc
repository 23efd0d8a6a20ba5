#include "citations/store/key_parts.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace prescope {
namespace {

constexpr std::size_t kMostDigits = 18;

struct DigitRun {
  std::size_t begin = 0, end = 0;
};

DigitRun longest_run_of_digits(std::string_view key) noexcept {
  DigitRun longest;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::size_t begin = i;
    while (i < key.size() && key[i] >= '0' && key[i] <= '9') ++i;
    if (i > begin && i - begin >= longest.end - longest.begin) longest = {begin, i};
  }
  return longest;
}

}  // namespace

KeyParts KeyParts::of(std::string_view key) noexcept {
  auto [begin, end] = longest_run_of_digits(key);
  if (begin == end) return {.prefix = key};
  if (end - begin > kMostDigits) begin = end - kMostDigits;
  while (begin + 1 < end && key[begin] == '0') ++begin;
  KeyParts parts{.prefix = key.substr(0, begin), .suffix = key.substr(end), .has_number = true};
  for (std::size_t i = begin; i < end; ++i) {
    parts.number = 10 * parts.number + static_cast<unsigned char>(key[i] - '0');
  }
  return parts;
}

void KeyParts::append_to(std::string& text) const {
  text += prefix;
  if (has_number) {
    std::array<char, 20> digits;
    text.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
  text += suffix;
}

std::string KeyParts::text() const {
  std::string text;
  append_to(text);
  return text;
}

std::strong_ordering operator<=>(const KeyParts& a, const KeyParts& b) noexcept {
  if (const auto order = a.prefix <=> b.prefix; order != 0) return order;
  if (const auto order = a.suffix <=> b.suffix; order != 0) return order;
  if (const auto order = a.has_number <=> b.has_number; order != 0) return order;
  return a.number <=> b.number;
}

}  // namespace prescope
