#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prescope {

/// A line of a run that holds a hit: views into it.
struct RunLine {
  std::string_view topic, docno, score, tag;
};

enum class LineKind { kHit, kNothing, kBad };

/// Any line of a run, without its line feed: a hit, nothing (blank, or a comment), or one that is
/// malformed, in which case `problem` says what was found and what was expected. Understands all
/// that is valid; the fast paths understand the common.
[[nodiscard]] LineKind parse_run_line(std::string_view line, RunLine& hit, std::string& problem);

/// `-12.3456` by integer arithmetic, up to the first byte that is no part of it, which must be a
/// blank or the end of the line: below 2^53 and divided by a power of ten that a double holds, a
/// number is rounded once, as is right. False where that does not apply.
[[nodiscard]] inline bool read_plain_score(const char* at, double& score) noexcept {
  constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
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
  if (digits == 0 || (*at != ' ' && *at != '\t' && *at != '\r' && *at != '\n')) return false;
  const double value = static_cast<double>(number) /
                       kPowersOfTen[before_point == UINT32_MAX ? 0 : digits - before_point];
  score = negative ? -value : value;
  return true;
}

/// A finite decimal number as C++ or C print it, rounded once; nothing for all else. What is too
/// small for a double is 0.
[[nodiscard]] std::optional<double> parse_score(std::string_view text) noexcept;

}  // namespace prescope
