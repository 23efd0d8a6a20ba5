#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace prescope {

/// The high bit of each byte of a word.
inline constexpr std::uint64_t kHighBits = 0x8080808080808080U;

/// Reads eight bytes as a word, the first one lowest.
[[nodiscard]] inline std::uint64_t word_at(const char* from) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// Reads a number as C's strtod does, rounded once, and also if it is hexadecimal or infinite; one
/// too large for a double is infinite, one too small 0. Returns false for NaN and anything else.
[[nodiscard]] bool read_score(std::string_view text, double& score) noexcept;

/// The number of digits before and behind the point of a score. Scores of up to eight bytes that
/// have the same format are read eight digits at a time.
class ScoreFormat {
 public:
  /// No score has this format.
  ScoreFormat() = default;
  /// The format of `text`, if it has up to eight bytes: digits and perhaps a point.
  explicit ScoreFormat(std::string_view text) noexcept;

  /// Returns false if the text, of the same size, does not have this format. Eight bytes are read.
  /// An integer divided by a power of ten that a double holds is rounded once, as is right.
  [[nodiscard]] bool read(const char* text, double& score) const noexcept {
    constexpr std::uint64_t kPairs = 0x000000FF000000FFU;
    std::uint64_t digits = word_at(text) << shift_ ^ zeros_;
    if ((((digits + limits_) | digits) & kHighBits) != 0) return false;
    digits = ((digits & whole_) << 8U) + (digits & ~whole_);  // over the point
    // Digits are put together to pairs, then pairs to one number.
    digits = digits * 10 + (digits >> 8U);
    const std::uint64_t number =
        (digits & kPairs) * 0x000F424000000064U + (digits >> 16U & kPairs) * 0x0000271000000001U;
    score = static_cast<double>(number >> 32U) / power_;
    return true;
  }

 private:
  // Bytes of the score as a word, moved to its high end, so that low ones are leading zeros.
  unsigned shift_ = 0;
  std::uint64_t zeros_ = 0;  // value of a score of zeros only
  std::uint64_t limits_ =
      kHighBits;             // added, sets the high bit of a byte that is no digit or point
  std::uint64_t whole_ = 0;  // the bytes before the point
  double power_ = 1.0;       // of ten, by which the digits are divided
};

}  // namespace prescope
