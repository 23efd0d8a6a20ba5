#pragma once

#include <cstdint>
#include <optional>

#include "prescope/measure.h"
#include "prescope/types.h"

namespace prescope {

/// Average precision, hit by hit.
class AveragePrecision {
 public:
  /// Adds the next relevant document found; ranks ascend strictly, from 1.
  void add(Rank rank) noexcept {
    sum_of_precisions_ += static_cast<double>(++found_) / static_cast<double>(rank);
  }
  /// Of the precisions at the documents added.
  [[nodiscard]] double sum() const noexcept { return sum_of_precisions_; }
  /// In [0, recall]; `num_rel` >= 1.
  [[nodiscard]] double value(std::uint32_t num_rel) const noexcept {
    return sum_of_precisions_ / static_cast<double>(num_rel);
  }

 private:
  std::uint32_t found_ = 0;
  double sum_of_precisions_ = 0.0;
};

/// AP of a topic, under any measure that is made of it.
[[nodiscard]] std::optional<double> average_precision(const Measure& measure,
                                                      const JudgedRanks& ranks);

}  // namespace prescope
