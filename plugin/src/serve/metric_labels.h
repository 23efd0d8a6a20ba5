#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prescope/summary.h"
#include "serve/metric_family.h"

namespace prescope::serve {

/// The labels of one experiment. Names are shown as UTF-8, what is none as U+FFFD; arms whose names
/// are then the same are told apart by their number: no two samples may have the same labels.
class MetricLabels {
 public:
  /// `summary` must outlive it.
  explicit MetricLabels(const Summary& summary);

  /// {experiment}
  [[nodiscard]] const Labels& experiment() const noexcept { return experiment_; }
  /// {experiment, arm}
  [[nodiscard]] const Labels& arm(std::size_t arm) const noexcept { return arms_[arm]; }
  /// {experiment, arm, measure}
  [[nodiscard]] Labels arm_measure(std::size_t arm, std::size_t measure) const;
  /// {experiment, a, b}
  [[nodiscard]] Labels pair(const ArmPair& pair) const;
  /// Arms of the summary that are not removed, ascending.
  [[nodiscard]] const std::vector<std::size_t>& arms() const noexcept { return present_; }

 private:
  const Summary& summary_;
  Labels experiment_;
  std::vector<Labels> arms_;  // by arm
  std::vector<std::size_t> present_;
};

}  // namespace prescope::serve
