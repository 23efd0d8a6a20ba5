#pragma once

#include "prescope/measure.h"

namespace prescope {

inline constexpr MeasureParameter kBeta{
    .word = "beta", .range = "(0, 1000]", .example = "0.5", .allows = [](double beta) {
      return beta > 0.0 && beta <= 1000.0;
    }};

/// (1 + b^2) P R / (b^2 P + R): the harmonic mean of P and R in which R weighs b^2 times as much.
/// 0 where both are 0.
[[nodiscard]] inline double f_measure(double beta, double precision, double recall) noexcept {
  const double weight = beta * beta;
  const double weighted = weight * precision + recall;
  return weighted > 0.0 ? (1.0 + weight) * precision * recall / weighted : 0.0;
}

}  // namespace prescope
