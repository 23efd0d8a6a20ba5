#pragma once

#include <cmath>

namespace prescope {

/// A sum whose rounding errors are kept and added at the end (Neumaier 1974), so that adding and
/// taking back a million values leaves what adding the rest alone gives, to the last digits.
class CompensatedSum {
 public:
  void add(double value) noexcept {
    const double sum = sum_ + value;
    error_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    sum_ = sum;
  }
  void add(const CompensatedSum& other) noexcept {
    add(other.sum_);
    error_ += other.error_;
  }
  [[nodiscard]] double value() const noexcept { return sum_ + error_; }

 private:
  double sum_ = 0.0, error_ = 0.0;
};

}  // namespace prescope
