#pragma once

#include "prescope/summary.h"
#include "serve/metric_family.h"
#include "serve/metric_labels.h"

/// The metrics of a summary by what they are about; `docs/metrics.md` has the same order.
namespace prescope::serve {

/// The program, the experiment, its epoch.
[[nodiscard]] MetricFamilies experiment_metrics(const Summary& summary, const MetricLabels& labels);
/// What each arm served, how long it took, what watching it cost.
[[nodiscard]] MetricFamilies traffic_metrics(const Summary& summary, const MetricLabels& labels);
/// What the topics of each arm score.
[[nodiscard]] MetricFamilies score_metrics(const Summary& summary, const MetricLabels& labels);
/// What the arms' differences are and how sure they are.
[[nodiscard]] MetricFamilies comparison_metrics(const Summary& summary, const MetricLabels& labels);
/// What did not go as it should.
[[nodiscard]] MetricFamilies health_metrics(const Summary& summary, const MetricLabels& labels);

}  // namespace prescope::serve
