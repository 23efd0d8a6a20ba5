#include "serve/metric_family.h"

#include <string>
#include <utility>

namespace prescope::serve {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily family_of(MetricType type, std::string_view name, std::string_view help) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  return family;
}

ClientMetric& sample(MetricFamily& family, Labels labels) {
  ClientMetric& metric = family.metric.emplace_back();
  metric.label = std::move(labels);
  return metric;
}

}  // namespace

MetricFamily counter(std::string_view name, std::string_view help) {
  return family_of(MetricType::Counter, name, help);
}
MetricFamily gauge(std::string_view name, std::string_view help) {
  return family_of(MetricType::Gauge, name, help);
}
MetricFamily histogram(std::string_view name, std::string_view help) {
  return family_of(MetricType::Histogram, name, help);
}
MetricFamily quantiles(std::string_view name, std::string_view help) {
  return family_of(MetricType::Summary, name, help);
}
MetricFamily untyped(std::string_view name, std::string_view help) {
  return family_of(MetricType::Untyped, name, help);
}

void add(MetricFamily& family, Labels labels, double value) {
  ClientMetric& metric = sample(family, std::move(labels));
  switch (family.type) {
    case MetricType::Counter:
      metric.counter.value = value;
      break;
    case MetricType::Gauge:
      metric.gauge.value = value;
      break;
    default:
      metric.untyped.value = value;
  }
}

void add(MetricFamily& family, Labels labels, ClientMetric::Histogram histogram) {
  sample(family, std::move(labels)).histogram = std::move(histogram);
}

void add(MetricFamily& family, Labels labels, ClientMetric::Summary quantiles) {
  sample(family, std::move(labels)).summary = std::move(quantiles);
}

Labels with(Labels labels, std::string_view name, std::string_view value) {
  labels.push_back({std::string(name), std::string(value)});
  return labels;
}

}  // namespace prescope::serve
