#include "runs/scan/score_format.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "base/text_file.h"

namespace prescope {

namespace {

constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/// Reads `-12.3456`, up to 15 digits, all of `text`. An integer below 2^53 divided by a power of
/// ten that a double holds is rounded once, as is right.
bool read_plain_score(std::string_view text, double& score) noexcept {
  constexpr std::uint32_t kMostDigits = 15;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  std::uint64_t number = 0;
  std::uint32_t digits = 0, decimals = 0;
  const char* const whole = at;
  for (; at != end && is_digit(*at); ++at) {
    number = number * 10 + static_cast<unsigned char>(*at - '0');
  }
  digits = static_cast<std::uint32_t>(at - whole);
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    for (; at != end && is_digit(*at); ++at) {
      number = number * 10 + static_cast<unsigned char>(*at - '0');
    }
    decimals = static_cast<std::uint32_t>(at - fraction);
    digits += decimals;
  }
  if (at != end || digits == 0 || digits > kMostDigits) return false;
  const double value = static_cast<double>(number) / kPowersOfTen[decimals];
  score = negative ? -value : value;
  return true;
}

}  // namespace

bool read_score(std::string_view text, double& score) noexcept {
  if (read_plain_score(text, score)) return true;
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  if (text.empty() || text.front() == '-') return false;
  const char* const end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(
      text.data(), end, score, is_hex ? std::chars_format::hex : std::chars_format::general);
  if (stopped != end || std::isnan(score)) return false;
  if (failed == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eEpP");
    const bool is_tiny = exponent != std::string_view::npos && text.substr(exponent)[1] == '-';
    score = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (negative) score = -score;
  return true;
}

ScoreFormat::ScoreFormat(std::string_view text) noexcept {
  const std::size_t point = text.find('.');
  const bool has_point = point != std::string_view::npos;
  if (text.empty() || text.size() > 8 || text == ".") return;
  size_ = text.size();
  shift_ = static_cast<unsigned>(8 * (8 - text.size()));
  limits_ = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto place = shift_ + static_cast<unsigned>(8 * i);
    const bool is_point = i == point;
    zeros_ |= std::uint64_t{is_point ? 0x2EU : 0x30U} << place;
    limits_ |= std::uint64_t{is_point ? 0x7FU : 0x76U} << place;
    if (has_point && i < point) whole_ |= std::uint64_t{0xFF} << place;
  }
  if (has_point) power_ = kPowersOfTen[text.size() - point - 1];
}

}  // namespace prescope
