#include "core/trec_eval/decimal_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace prescope::trec_eval {
namespace {

constexpr int kDecimals = 4;

char* write_four_digits(char* to, std::uint32_t number) noexcept {
  for (const std::uint32_t unit : {1000U, 100U, 10U, 1U}) {
    *to++ = static_cast<char>('0' + number / unit % 10);
  }
  return to;
}

char* write_exactly(char* to, double value) noexcept {
  constexpr std::ptrdiff_t kWidth = 6;
  char* end =
      std::to_chars(to, to + kDecimalTextSize, value, std::chars_format::fixed, kDecimals).ptr;
  if (end - to >= kWidth) return end;
  char* const wide = to + kWidth;
  std::fill(to, std::copy_backward(to, end, wide), ' ');
  return wide;
}

}  // namespace

char* write_decimal(char* to, double value) noexcept {
  // Below 1e6 the product is off by less than 1e-6, so that only what is as near to a tie as that
  // needs the exact value.
  constexpr double kLargest = 1e6, kNearATie = 1e-5;
  const double scaled = std::abs(value) * 1e4;
  if (!(scaled < kLargest * 1e4)) return write_exactly(to, value);
  auto digits = static_cast<std::uint64_t>(scaled);
  const double rest = scaled - static_cast<double>(digits);
  if (std::abs(rest - 0.5) < kNearATie) return write_exactly(to, value);
  if (rest > 0.5) ++digits;
  if (std::signbit(value)) *to++ = '-';
  const std::uint64_t whole = digits / 10'000;
  if (whole < 10) {
    *to++ = static_cast<char>('0' + whole);
  } else {
    to = std::to_chars(to, to + kDecimalTextSize, whole).ptr;
  }
  *to++ = '.';
  return write_four_digits(to, static_cast<std::uint32_t>(digits - whole * 10'000));
}

}  // namespace prescope::trec_eval
