#include "core/statistics/differences.h"

#include <cmath>

namespace prescope {

double clean_difference(double a, double b) noexcept {
  constexpr double kSteps = 1e12;
  // Adding 0 makes +0 of -0.
  return std::round((a - b) * kSteps) / kSteps + 0.0;
}

DifferenceCounts count_differences(std::span<const double> differences) noexcept {
  DifferenceCounts counts;
  for (const double difference : differences) {
    ++(difference > 0.0 ? counts.wins : difference < 0.0 ? counts.losses : counts.ties);
  }
  return counts;
}

}  // namespace prescope
