#include "report/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace prescope {
namespace {

constexpr const char* kNoValue = "-";
constexpr double kHalfOfLastDigit = 0.00005;

/// Digits behind the dot for three digits in all.
int decimals_of(double value) { return value < 10.0 ? 2 : value < 100.0 ? 1 : 0; }

}  // namespace

std::string score_text(std::optional<double> score) {
  return score ? fmt::format("{:.4f}", *score) : kNoValue;
}

std::string difference_text(std::optional<double> difference) {
  if (!difference) return kNoValue;
  if (std::abs(*difference) < kHalfOfLastDigit) return "0.0000";
  return fmt::format("{:+.4f}", *difference);
}

std::string p_value_text(std::optional<double> p) {
  if (!p) return kNoValue;
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

std::string milliseconds_text(std::optional<double> ms) {
  return ms ? fmt::format("{:.{}f}", *ms, decimals_of(*ms)) : kNoValue;
}

std::string microseconds_text(std::optional<double> us) {
  return us ? fmt::format("{:.1f}", *us) : kNoValue;
}

std::string percent_text(std::optional<double> share) {
  return share ? fmt::format("{:.3f} %", *share * 100.0) : kNoValue;
}

std::string grouped_text(std::uint64_t count) {
  constexpr std::size_t kGroup = 3;
  std::string text = fmt::format("{}", count);
  for (std::size_t at = text.size(); at > kGroup; at -= kGroup) text.insert(at - kGroup, 1, ',');
  return text;
}

std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", grouped_text(count), singular)
                        : fmt::format("{} {}", grouped_text(count), plural);
}

}  // namespace prescope
