#include "serve/metrics/metric_family.h"

#include <fmt/format.h>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "report/text/clean_text.h"

namespace prescope::serve {

namespace {

constexpr double kMsPerSecond = 1e3;

/// Steps of at most 5/3: a quantile that is interpolated within one is useful still.
constexpr std::array kEndsMs = {1.0,    1.5,    2.0,    3.0,    5.0,    7.5,    10.0,
                                15.0,   20.0,   30.0,   50.0,   75.0,   100.0,  150.0,
                                200.0,  300.0,  500.0,  750.0,  1000.0, 1500.0, 2000.0,
                                3000.0, 5000.0, 7500.0, 10000.0};

}  // namespace

prometheus::ClientMetric::Histogram duration_histogram(const LatencySummary& latency) {
  prometheus::ClientMetric::Histogram histogram;
  histogram.sample_count = latency.count;
  histogram.sample_sum = latency.sum_ms / kMsPerSecond;
  auto next = latency.buckets.begin();
  std::uint64_t cumulated = 0;
  for (const double end_ms : kEndsMs) {
    for (; next != latency.buckets.end() && next->at_most_ms <= end_ms; ++next) {
      cumulated += next->count;
    }
    histogram.bucket.push_back({cumulated, end_ms / kMsPerSecond});
  }
  histogram.bucket.push_back({latency.count, std::numeric_limits<double>::infinity()});
  return histogram;
}

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

namespace {

/// As it is shown, by arm: with its number where an arm before it is shown alike.
std::vector<std::string> distinct_names(const std::vector<ArmSummary>& arms) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    std::string name = clean_text(arms[a].id.text());
    while (!taken.insert(name).second) name += fmt::format("#{}", a);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

MetricLabels::MetricLabels(const Summary& summary)
    : summary_(summary), experiment_{{"experiment", clean_text(summary.experiment)}} {
  const std::vector<std::string> names = distinct_names(summary.arms);
  for (std::size_t a = 0; a < names.size(); ++a) {
    arms_.push_back(with(experiment_, "arm", names[a]));
    if (summary.arms[a].status != ArmStatus::kRemoved) present_.push_back(a);
  }
}

Labels MetricLabels::arm_measure(std::size_t arm, std::size_t measure) const {
  return with(arms_[arm], "measure", summary_.measures[measure].name());
}

Labels MetricLabels::pair(const ArmPair& pair) const {
  const std::string& a = arms_[pair.a.value()].back().value;
  const std::string& b = arms_[pair.b.value()].back().value;
  return with(with(experiment_, "a", a), "b", b);
}

}  // namespace prescope::serve
