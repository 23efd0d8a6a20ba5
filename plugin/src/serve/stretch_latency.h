#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "prescope/summary.h"

namespace prescope::serve {

/// The latency of the queries between two summaries.
struct StretchLatency {
  std::uint64_t count = 0;               ///< failed ones among them
  std::vector<LatencyBucket> buckets{};  ///< ascending; empty also where nobody counted them

  /// Milliseconds, within 1 %, 1000 s where it is longer: the order statistic that floor(q (count -
  /// 1)) others are before, q in [0, 1]. Nothing where it is a query that failed, without queries,
  /// and where `buckets` are not all of `count`.
  [[nodiscard]] std::optional<double> quantile_ms(double q) const;
};

/// What `after` has more than `before`. Where an arm began anew between them, all of `after`.
[[nodiscard]] StretchLatency latency_between(const LatencySummary& before,
                                             const LatencySummary& after);

/// Of two stretches together.
[[nodiscard]] StretchLatency joined(const StretchLatency& a, const StretchLatency& b);

}  // namespace prescope::serve
