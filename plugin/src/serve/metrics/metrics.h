#pragma once

#include <string>
#include <string_view>

#include "prescope/summary.h"

namespace prescope::serve {

/// Of what `metrics_text` writes.
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/// A summary in the text exposition format of Prometheus; `docs/metrics.md` names every metric. No
/// label ever holds a topic, a docno or a query. Removed arms are left out, and, where `summary`
/// lacks the topics' rows, the distribution of the topics' scores. A counter never falls from one
/// summary of an experiment to a later one while its arm is there. O(rows x arms x measures).
/// Thread-safe.
[[nodiscard]] std::string metrics_text(const Summary& summary);

}  // namespace prescope::serve
