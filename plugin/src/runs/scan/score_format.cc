#include "runs/scan/score_format.h"

#include <cstdlib>

#include "base/text_file.h"

namespace prescope {

bool read_score(std::string_view text, double& score) noexcept {
  const std::string_view text_as_written = text;
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
    score = std::strtod(std::string(text_as_written).c_str(), nullptr);  // 0 or infinite
    return true;
  }
  if (negative) score = -score;
  return true;
}

ScoreFormat::ScoreFormat(std::string_view text) noexcept {
  constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  const std::size_t point = text.find('.');
  const bool has_point = point != std::string_view::npos;
  if (text.empty() || text.size() > 8 || text == ".") return;
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
