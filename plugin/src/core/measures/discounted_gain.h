#pragma once

#include <cmath>

#include "prescope/types.h"

namespace prescope {

/// Discounted cumulative gain, document by document.
class DiscountedGain {
 public:
  void add(double gain, Rank rank) noexcept {
    sum_ += gain / std::log2(static_cast<double>(rank) + 1.0);
  }
  [[nodiscard]] double value() const noexcept { return sum_; }

 private:
  double sum_ = 0.0;
};

}  // namespace prescope
