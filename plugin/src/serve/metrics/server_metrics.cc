#include "serve/metrics/metric_families.h"
#include "serve/metrics/metrics.h"

namespace prescope::serve {

std::string server_metrics_text(const ServerCounters& counters) {
  const Objects<ServerCounters> one = {{Labels{}, &counters}};
  Samples<ServerCounters> reasons;
  for (std::size_t i = 0; i < kRefusals; ++i) {
    reasons.emplace_back(kRefusalNames[i],
                         [i](const ServerCounters& of) { return of.refused[i].load(); });
  }
  Families families;
  const Group<ServerCounters> group{families, one};
  group.add(kCounter, "prescope_http_answered_total", "Requests that were answered.",
            &ServerCounters::answered);
  group.add(kCounter, "prescope_http_failed_total", "Requests that ended in a failure.",
            &ServerCounters::failed);
  group.add(kCounter, "prescope_http_refused_total",
            "Requests refused and connections ended, by why.", "reason", reasons);
  group.add(kGauge, "prescope_http_connections", "Connections that are open.",
            &ServerCounters::connections);
  group.add(kGauge, "prescope_http_event_streams", "Connections that listen to events.",
            &ServerCounters::event_streams);
  return text_of(std::move(families));
}

}  // namespace prescope::serve
