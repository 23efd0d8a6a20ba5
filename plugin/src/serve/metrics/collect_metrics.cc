#include "serve/metrics/metric_families.h"
#include "serve/metrics/metrics.h"

namespace prescope::serve {

std::string collect_metrics_text(const CollectCounts& counts) {
  const Objects<CollectCounts> one = {{Labels{}, &counts}};
  Families families;
  const Group<CollectCounts> group{families, one};
  group.add(kCounter, "prescope_collect_lines_total",
            "Lines that clients posted, by what became of them.", "result",
            {{"accepted", &CollectCounts::accepted},
             {"duplicate", &CollectCounts::duplicates},
             {"refused", &CollectCounts::refused},
             {"not_stored", &CollectCounts::not_stored}});
  group.add(kCounter, "prescope_collect_unknown_total",
            "Accepted lines that did not say this of their ranking.", "fact",
            {{"time", &CollectCounts::without_time},
             {"latency", &CollectCounts::without_latency},
             {"depth", &CollectCounts::without_depth},
             {"total", &CollectCounts::without_total}});
  group.add(kCounter, "prescope_collect_crowded_out_total",
            "Visits of mode paired that were given up before their time, because too many waited.",
            &CollectCounts::crowded_out);
  return text_of(std::move(families));
}

}  // namespace prescope::serve
