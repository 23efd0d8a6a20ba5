#pragma once

#include <prometheus/client_metric.h>

#include "prescope/summary.h"

namespace prescope::serve {

/// The latency in buckets with fixed ends from 1 ms to 10 s, in seconds. What is counted up to an
/// end is never longer; of what is shorter by less than 2 %, some may be counted above. So nothing
/// looks faster than it was. Failures are in the last bucket only, and not in the sum. No count
/// falls, nor the sum, from one summary of an arm to a later one.
[[nodiscard]] prometheus::ClientMetric::Histogram duration_histogram(const LatencySummary& latency);

}  // namespace prescope::serve
