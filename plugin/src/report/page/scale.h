#pragma once

#include <string>
#include <vector>

namespace prescope::page {

/// Values to places in a drawing, linearly. `low` < `high`.
struct Scale {
  double low = 0.0, high = 1.0;    ///< values
  double first = 0.0, last = 1.0;  ///< where they are drawn

  [[nodiscard]] double operator()(double value) const noexcept {
    return first + (value - low) / (high - low) * (last - first);
  }
};

/// Round values within [low, high], about `count` of them, a step of 1, 2 or 5 times a power of 10
/// apart.
[[nodiscard]] std::vector<double> ticks(double low, double high, int count);
/// With as many digits as the step between `values` needs; with a sign where `values` have both.
[[nodiscard]] std::vector<std::string> tick_texts(const std::vector<double>& values);

}  // namespace prescope::page
