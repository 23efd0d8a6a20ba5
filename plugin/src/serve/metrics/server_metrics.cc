#include "serve/metrics/server_metrics.h"

#include <prometheus/text_serializer.h>
#include <atomic>

#include "serve/metrics/metric_family.h"

namespace prescope::serve {

namespace {

double value_of(const std::atomic<std::uint64_t>& counter) {
  return static_cast<double>(counter.load(std::memory_order_relaxed));
}

prometheus::MetricFamily with_value(prometheus::MetricFamily family,
                                    const std::atomic<std::uint64_t>& value) {
  add(family, {}, value_of(value));
  return family;
}

prometheus::MetricFamily refusals(const ServerCounters& counters) {
  prometheus::MetricFamily family =
      counter("prescope_http_refused_total", "Requests refused and connections ended, by why.");
  for (std::size_t i = 0; i < kRefusals; ++i) {
    add(family, with({}, "reason", refusal_names()[i]), value_of(counters.refused[i]));
  }
  return family;
}

}  // namespace

std::string server_metrics_text(const ServerCounters& counters) {
  return prometheus::TextSerializer().Serialize(
      {with_value(counter("prescope_http_answered_total", "Requests that were answered."),
                  counters.answered),
       with_value(counter("prescope_http_failed_total", "Requests that ended in a failure."),
                  counters.failed),
       refusals(counters),
       with_value(gauge("prescope_http_connections", "Connections that are open."),
                  counters.connections),
       with_value(gauge("prescope_http_event_streams", "Connections that listen to events."),
                  counters.event_streams)});
}

}  // namespace prescope::serve
