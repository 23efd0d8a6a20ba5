#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace prescope {

/// Whether a score is over: a blank, or the line's end.
[[nodiscard]] inline bool ends_score(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Ends what is said of a malformed line.
inline constexpr std::string_view kExpectedRunLine = "expected \"topic Q0 docno rank score tag\"";

/// A line of a run that holds a hit: views into it.
struct RunLine {
  std::string_view topic, docno, score, tag;
};

enum class LineKind { kHit, kNothing, kBad };

/// Any line of a run, without its line feed: a hit, nothing (blank, or a comment), or one that is
/// malformed, in which case `problem` says what was found and what was expected. Understands all
/// that is valid; the fast paths understand the common.
[[nodiscard]] LineKind parse_run_line(std::string_view line, RunLine& hit, std::string& problem);

inline constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/// `12.3456`, up to seven bytes and what ends them, all at once. False for anything else.
[[nodiscard]] inline bool read_short_score(const char* at, double& score) noexcept {
  if constexpr (std::endian::native != std::endian::little) return false;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  std::uint64_t digits = 0;
  std::memcpy(&digits, at, sizeof digits);
  digits ^= 0x3030303030303030U;
  // The high bit of each byte above 9.
  std::uint64_t others = (((digits & ~kHighs) + 0x7676767676767676U) | digits) & kHighs;
  if (others == 0) return false;
  unsigned count = static_cast<unsigned>(std::countr_zero(others)) / 8, decimals = 0;
  if (count == 0) return false;
  if (at[count] == '.') {
    const unsigned point = count;
    others &= others - 1;
    if (others == 0) return false;
    count = static_cast<unsigned>(std::countr_zero(others)) / 8 - 1;
    decimals = count - point;
    const std::uint64_t before = (std::uint64_t{1} << (8 * point)) - 1;
    if (!ends_score(at[count + 1])) return false;
    digits = (digits & before) | (digits >> 8U & ~before);
  } else if (!ends_score(at[count])) {
    return false;
  }
  // Leading noughts make eight digits; then pairs, fours and all of them are put together.
  digits <<= 8 * (8 - count);
  digits = digits * 10 + (digits >> 8U);
  constexpr std::uint64_t kPairs = 0x000000FF000000FFU;
  const std::uint64_t number =
      ((digits & kPairs) * 0x000F424000000064U + (digits >> 16U & kPairs) * 0x0000271000000001U) >>
      32U;
  score = static_cast<double>(number & 0xFFFFFFFFU) / kPowersOfTen[decimals];
  return true;
}

/// `-12.3456` by integer arithmetic, up to the first byte that is no part of it, which must be a
/// blank or the end of the line: below 2^53 and divided by a power of ten that a double holds, a
/// number is rounded once, as is right. False where that does not apply. Eight bytes from `at` can
/// be read.
[[nodiscard]] inline bool read_plain_score(const char* at, double& score) noexcept {
  if (read_short_score(at, score)) return true;
  constexpr std::uint32_t kMostDigits = 15;
  const bool negative = *at == '-';
  if (negative) ++at;
  std::uint64_t number = 0;
  std::uint32_t digits = 0, before_point = UINT32_MAX;
  for (;; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit <= 9) {
      number = number * 10 + digit;
      if (++digits > kMostDigits) return false;
    } else if (*at == '.' && before_point == UINT32_MAX) {
      before_point = digits;
    } else {
      break;
    }
  }
  if (digits == 0 || !ends_score(*at)) return false;
  const double value = static_cast<double>(number) /
                       kPowersOfTen[before_point == UINT32_MAX ? 0 : digits - before_point];
  score = negative ? -value : value;
  return true;
}

/// A finite decimal number as C++ or C print it, rounded once; nothing for all else. What is too
/// small for a double is 0.
[[nodiscard]] std::optional<double> parse_score(std::string_view text) noexcept;

}  // namespace prescope
