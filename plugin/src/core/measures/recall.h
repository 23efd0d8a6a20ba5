#pragma once

#include <cstdint>

#include "prescope/types.h"

namespace prescope {

/// Recall, hit by hit.
class Recall {
 public:
  void add(Rank) noexcept { ++found_; }
  /// In [0, 1]; `num_rel` >= 1.
  [[nodiscard]] double value(std::uint32_t num_rel) const noexcept {
    return static_cast<double>(found_) / static_cast<double>(num_rel);
  }

 private:
  std::uint32_t found_ = 0;
};

}  // namespace prescope
