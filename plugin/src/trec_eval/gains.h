#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace prescope::trec_eval {

/// 1, p, p^2, ..., each the one before times p, as trec_eval comes by them.
class Powers {
 public:
  explicit Powers(double p) : p_(p) {}

  [[nodiscard]] double base() const noexcept { return p_; }
  /// The first `count` powers, or fewer: those behind the last one are equal to it. Valid until the
  /// next call. Amortised O(1) for each.
  [[nodiscard]] std::span<const double> first(std::size_t count) {
    while (known_.size() < count && !is_constant_) {
      const double next = known_.back() * p_;
      is_constant_ = next == known_.back();
      known_.push_back(next);
    }
    return std::span(known_).first(std::min(count, known_.size()));
  }
  [[nodiscard]] double of(std::uint32_t exponent) {
    return first(std::size_t{exponent} + 1).back();
  }

 private:
  double p_;
  bool is_constant_ = false;  // from the last known power on
  std::vector<double> known_{1.0};
};

}  // namespace prescope::trec_eval
