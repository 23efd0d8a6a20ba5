#include "serve/metrics.h"

#include <prometheus/text_serializer.h>

#include <iterator>
#include <utility>

#include "serve/metric_groups.h"

namespace prescope::serve {

std::string metrics_text(const Summary& summary) {
  const MetricLabels labels(summary);
  MetricFamilies families;
  for (const auto group :
       {experiment_metrics, traffic_metrics, score_metrics, comparison_metrics, health_metrics}) {
    for (prometheus::MetricFamily& family : group(summary, labels)) {
      if (!family.metric.empty()) families.push_back(std::move(family));
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace prescope::serve
