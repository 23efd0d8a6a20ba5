#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <string_view>
#include <vector>

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
