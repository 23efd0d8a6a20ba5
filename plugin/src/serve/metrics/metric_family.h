#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/summary.h"

namespace prescope::serve {

/// The latency in buckets with fixed ends from 1 ms to 10 s, in seconds. What is counted up to an
/// end is never longer; of what is shorter by less than 2 %, some may be counted above. So nothing
/// looks faster than it was. Failures are in the last bucket only, and not in the sum. No count
/// falls, nor the sum, from one summary of an arm to a later one.
[[nodiscard]] prometheus::ClientMetric::Histogram duration_histogram(const LatencySummary& latency);

}  // namespace prescope::serve

/// What metrics are put together from.
namespace prescope::serve {

using Label = prometheus::ClientMetric::Label;
using Labels = std::vector<Label>;
using MetricFamilies = std::vector<prometheus::MetricFamily>;

/// Families without samples. `help` must be one line without a backslash: it is not escaped.
[[nodiscard]] prometheus::MetricFamily counter(std::string_view name, std::string_view help);
[[nodiscard]] prometheus::MetricFamily gauge(std::string_view name, std::string_view help);
[[nodiscard]] prometheus::MetricFamily histogram(std::string_view name, std::string_view help);
[[nodiscard]] prometheus::MetricFamily quantiles(std::string_view name, std::string_view help);
[[nodiscard]] prometheus::MetricFamily untyped(std::string_view name, std::string_view help);

/// One sample of a family of counters, gauges or without a type.
void add(prometheus::MetricFamily& family, Labels labels, double value);
/// One sample of a family of histograms, of one of quantiles.
void add(prometheus::MetricFamily& family, Labels labels,
         prometheus::ClientMetric::Histogram histogram);
void add(prometheus::MetricFamily& family, Labels labels,
         prometheus::ClientMetric::Summary quantiles);

/// `labels` and one more.
[[nodiscard]] Labels with(Labels labels, std::string_view name, std::string_view value);

}  // namespace prescope::serve

namespace prescope::serve {

/// The labels of one experiment. Names are shown as UTF-8, what is none as U+FFFD; arms whose names
/// are then the same are told apart by their number: no two samples may have the same labels.
class MetricLabels {
 public:
  /// `summary` must outlive it.
  explicit MetricLabels(const Summary& summary);

  /// {experiment}
  [[nodiscard]] const Labels& experiment() const noexcept { return experiment_; }
  /// {experiment, arm}
  [[nodiscard]] const Labels& arm(std::size_t arm) const noexcept { return arms_[arm]; }
  /// {experiment, arm, measure}
  [[nodiscard]] Labels arm_measure(std::size_t arm, std::size_t measure) const;
  /// {experiment, a, b}
  [[nodiscard]] Labels pair(const ArmPair& pair) const;
  /// Arms of the summary that are not removed, ascending.
  [[nodiscard]] const std::vector<std::size_t>& arms() const noexcept { return present_; }

 private:
  const Summary& summary_;
  Labels experiment_;
  std::vector<Labels> arms_;  // by arm
  std::vector<std::size_t> present_;
};

}  // namespace prescope::serve

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
