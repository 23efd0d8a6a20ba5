#include "report/text/tables.h"

namespace prescope {

constexpr const char* kNoValue = "-";

std::string fixed_text(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : kNoValue;
}

std::string score_text(std::optional<double> score) { return fixed_text(score, 4); }

std::string difference_text(std::optional<double> difference) {
  if (!difference) return kNoValue;
  constexpr double kHalfOfLastDigit = 0.00005;
  if (std::abs(*difference) < kHalfOfLastDigit) return "0.0000";
  return fmt::format("{:+.4f}", *difference);
}

std::string interval_text(std::optional<double> low, std::optional<double> high) {
  if (!low || !high) return kNoValue;
  return fmt::format("[{}, {}]", difference_text(low), difference_text(high));
}

std::string p_value_text(std::optional<double> p) {
  if (!p) return kNoValue;
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

std::string milliseconds_text(std::optional<double> ms) {
  const double value = ms.value_or(0.0);
  return fixed_text(ms, value < 10.0 ? 2 : value < 100.0 ? 1 : 0);
}

std::string percent_text(std::optional<double> share) {
  return share ? fmt::format("{:.3f} %", *share * 100.0) : kNoValue;
}

std::string plain_percent_text(double share) { return fmt::format("{:g} %", 100.0 * share); }

}  // namespace prescope
