#pragma once

#include "prescope/observation.h"

namespace prescope {

/// Whether the engine answered.
[[nodiscard]] inline bool has_ranking(const Observation& observation) noexcept {
  return !has(observation.flags, RankingFlags::kFailed) &&
         !has(observation.flags, RankingFlags::kTimedOut);
}

/// Whether the latency is the arm's own.
[[nodiscard]] inline bool is_timed(const Observation& observation) noexcept {
  return has_ranking(observation) && !has(observation.flags, RankingFlags::kRetried) &&
         !has(observation.flags, RankingFlags::kUntimed) && observation.latency.count() >= 0;
}

/// Whether nothing follows what was served.
[[nodiscard]] inline bool ends_ranking(const Observation& observation) noexcept {
  return observation.num_ret < observation.requested_depth &&
         !has(observation.flags, RankingFlags::kPartial);
}

}  // namespace prescope
