#pragma once

#include <string>
#include <vector>

#include "core/evaluation_record.h"

namespace prescope::page {

/// A place of a time axis and its name.
struct TimeTick {
  UtcTime time{};
  std::string text{};  ///< "03:10", "11-22", "2026-11", "2026": as fine as the ticks are apart
};

/// Round times within [first, last], UTC, at most about `count` (>= 1) of them. `first` < `last`.
[[nodiscard]] std::vector<TimeTick> time_ticks(UtcTime first, UtcTime last, int count);

}  // namespace prescope::page
