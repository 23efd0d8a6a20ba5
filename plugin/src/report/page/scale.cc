#include "report/page/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prescope::page {
namespace {

constexpr double kBase = 10.0;

double step_of(double width, int count) {
  const double rough = width / count;
  const double power = std::pow(kBase, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return kBase * power;
}

}  // namespace

std::vector<double> ticks(double low, double high, int count) {
  const double step = step_of(high - low, count);
  constexpr double kRounding = 1e-9;
  std::vector<double> values;
  for (double i = std::ceil(low / step - kRounding); i <= high / step + kRounding; i += 1.0) {
    values.push_back(i * step + 0.0);
  }
  return values;
}

std::vector<std::string> tick_texts(const std::vector<double>& values) {
  std::vector<std::string> texts;
  if (values.empty()) return texts;
  const double step = values.size() > 1 ? values[1] - values[0] : 1.0;
  constexpr double kRounding = 1e-6;
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRounding)));
  const bool signs = values.front() < 0.0 && values.back() > 0.0;
  for (const double value : values) {
    const bool is_zero = std::abs(value) < step / 2.0;
    if (is_zero) {
      texts.emplace_back("0");
    } else {
      texts.push_back(signs ? fmt::format("{:+.{}f}", value, decimals)
                            : fmt::format("{:.{}f}", value, decimals));
    }
  }
  return texts;
}

}  // namespace prescope::page
