#pragma once

#include "core/gate/gate.h"
#include "core/gate/gate_subject.h"

namespace prescope {

struct LatencyResult {
  GateVerdict::Latency latency{};
  GateVerdict::Rule rule{};
};

/// The 95 % quantile of the queries' latency, tonight over baseline. Its bounds are those of both
/// quantiles, by order statistics, the one over the other: at least as sure as the confidence asked
/// for, each by itself. Fails where the lower bound is above the limit; is inconclusive where only
/// the ratio is. Skipped where nobody timed, or too few queries bound the quantile.
[[nodiscard]] LatencyResult compare_latency(const GateSubject& subject);

}  // namespace prescope
