#pragma once

#include <cstdint>

#include "prescope/types.h"

namespace prescope {

/// Inferred average precision, pooled document by pooled document. The sum's terms are written in
/// trec_eval's order, so that both round alike.
class InferredAp {
 public:
  /// Adds the next relevant document; ranks ascend strictly, from 1.
  void add_relevant(Rank rank) noexcept {
    const double above = static_cast<double>(rank) - 1.0;
    sum_ += rank == 1 ? 1.0 : expected_precision(above);
    relevant_ += 1.0;
  }
  void add_not_relevant() noexcept { not_relevant_ += 1.0; }
  /// A pooled document that the sample of judged ones has not.
  void add_unjudged() noexcept { unjudged_ += 1.0; }
  /// In [0, 1]; 0 where `num_rel` is 0.
  [[nodiscard]] double value(std::uint32_t num_rel) const noexcept {
    return num_rel == 0 ? 0.0 : sum_ / static_cast<double>(num_rel);
  }

 private:
  // The document itself, and what stands above it: in the pool with the frequency seen, and then
  // relevant with the (smoothed) frequency seen among the judged ones.
  [[nodiscard]] double expected_precision(double above) const noexcept {
    constexpr double kSmoothing = 1e-5;
    return 1.0 / (above + 1.0) +
           (above / (above + 1.0)) * ((relevant_ + not_relevant_ + unjudged_) / above) *
               ((relevant_ + kSmoothing) / (relevant_ + not_relevant_ + 2 * kSmoothing));
  }

  double relevant_ = 0.0, not_relevant_ = 0.0, unjudged_ = 0.0;  // whole numbers, so far
  double sum_ = 0.0;
};

}  // namespace prescope
