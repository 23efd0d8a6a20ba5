#pragma once

#include <cmath>
#include <limits>

#include "base/split_mix.h"
#include "prescope/visit.h"

namespace prescope {

/// Takes a share of the visits. The decision is a function of the visit's key, or of its number if
/// it has none. So the pages of a visit and its searches for comparison share it, on every thread
/// and in every process, and whatever a smaller share takes, a larger one takes too.
class Sampling {
 public:
  /// `share` in (0, 1].
  explicit Sampling(double share) noexcept
      : below_(share >= 1.0 ? kAll : static_cast<std::uint64_t>(std::ldexp(share, 64))) {}

  [[nodiscard]] bool takes(const Visit& visit) const noexcept {
    if (below_ == kAll) return true;
    return SplitMix(visit.key != 0 ? visit.key : visit.number).next() < below_;
  }

 private:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t below_;
};

}  // namespace prescope
