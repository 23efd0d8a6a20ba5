#pragma once

#include <cstdint>

#include "prescope/types.h"

namespace prescope {

/// The credit of PRES, hit by hit, for any cutoff that the hits do not exceed.
///
/// The j-th relevant document found, at rank r_j, is worth N + j - r_j. The r_j - j documents above
/// it that are not relevant do not depend on the cutoff N, so their sum is all that is kept.
class Pres {
 public:
  /// Adds the next relevant document found; ranks ascend strictly, from 1.
  void add(Rank rank) noexcept { not_relevant_above_ += rank - ++found_; }
  /// sum of (N + j - r_j) over the documents added, none of them behind `cutoff`. Exact.
  [[nodiscard]] std::uint64_t credit(std::uint64_t cutoff) const noexcept {
    return found_ * cutoff - not_relevant_above_;
  }
  /// In [0, recall]; `num_rel` >= 1.
  [[nodiscard]] double value(std::uint32_t num_rel, std::uint64_t cutoff) const noexcept {
    return static_cast<double>(credit(cutoff)) / static_cast<double>(num_rel * cutoff);
  }
  /// PRES divided by the best that the cutoff allows, min(1, N/n): the same credit over N N where
  /// there are more relevant documents than the searcher reads.
  [[nodiscard]] double estimate(std::uint32_t num_rel, std::uint64_t cutoff) const noexcept {
    return static_cast<double>(credit(cutoff)) /
           static_cast<double>((num_rel < cutoff ? num_rel : cutoff) * cutoff);
  }

 private:
  std::uint64_t found_ = 0;
  std::uint64_t not_relevant_above_ = 0;
};

}  // namespace prescope
