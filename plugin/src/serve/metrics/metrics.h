#pragma once

#include "collect/collect_answer.h"
#include "fleet/fleet_session.h"
#include "nightly/history.h"
#include "prescope/shipper.h"
#include "serve/http/handler.h"

namespace prescope::serve {

/// Content type of the texts below.
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/// Returns a summary in the text exposition format of Prometheus; `docs/metrics.md` names every
/// metric. No label ever holds a topic, a docno or a query. Removed arms are left out. A counter
/// never falls from one summary of an experiment to a later one while its arm is there.
/// `queue_ratio`: Experiment::queue_ratio, if there is a queue. O(arms x measures). Thread-safe.
[[nodiscard]] std::string metrics_text(const Summary& summary,
                                       std::optional<double> queue_ratio = {});

/// Returns the newest night of each arm in the same format: its time, outcome, means and latency;
/// then the gates without a verdict since the newest night, and the nights whose time is wrong.
/// `nights` and `attempts`: in the order of their numbers, as they were at the time `read`.
[[nodiscard]] std::string night_metrics_text(std::span<const Night> nights, UtcTime read,
                                             std::span<const Attempt> attempts = {});

/// Returns a server's counters of answers and refusals in the same format, to be appended.
/// Thread-safe.
[[nodiscard]] std::string server_metrics_text(const ServerCounters& counters);

/// Returns how far the servers of a fleet have come, in the same format.
[[nodiscard]] std::string fleet_metrics_text(std::span<const FleetSession::Server> servers);

/// Returns how far a store was shipped, in the same format.
[[nodiscard]] std::string ship_metrics_text(const ShipProgress& progress);

/// Returns what became of the lines that clients posted, in the same format.
[[nodiscard]] std::string collect_metrics_text(const CollectCounts& counts);

}  // namespace prescope::serve
