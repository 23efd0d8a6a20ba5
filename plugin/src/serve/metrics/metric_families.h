#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <functional>
#include <optional>
#include <span>

/// Builds the families of metrics that `metrics.h` returns as text.
namespace prescope::serve {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Families = std::vector<MetricFamily>;
using Labels = std::vector<ClientMetric::Label>;
inline constexpr MetricType kCounter = MetricType::Counter, kGauge = MetricType::Gauge;

[[nodiscard]] inline Labels with(Labels labels, std::string_view name, std::string_view value) {
  labels.push_back({std::string(name), std::string(value)});
  return labels;
}

/// `help` must be one line without a backslash, because the serialiser does not escape it.
inline MetricFamily& add_family(Families& families, MetricType type, std::string_view name,
                                std::string_view help) {
  MetricFamily& family = families.emplace_back();
  family.type = type;
  family.name = name;
  family.help = help;
  return family;
}

inline ClientMetric& add_sample(MetricFamily& family, Labels labels) {
  ClientMetric& metric = family.metric.emplace_back();
  metric.label = std::move(labels);
  return metric;
}

inline void add_sample(MetricFamily& family, Labels labels, double value) {
  ClientMetric& metric = add_sample(family, std::move(labels));
  metric.counter.value = metric.gauge.value = metric.untyped.value = value;
}

/// The objects that numbers are read from, with their labels.
template <class Of>
using Objects = std::vector<std::pair<Labels, const Of*>>;
/// Reads a number; without a value there is no sample.
template <class Of>
using ValueOf = std::function<std::optional<double>(const Of&)>;
/// The values of one label, with a number for each.
template <class Of>
using Samples = std::vector<std::pair<std::string_view, ValueOf<Of>>>;

/// Returns samples of a state: 1 for the word that `word_of` returns, 0 for the other `words`.
template <class Of>
[[nodiscard]] Samples<Of> states(
    std::span<const std::string_view> words,
    const std::function<std::optional<std::string_view>(const Of&)>& word_of) {
  Samples<Of> samples;
  for (const std::string_view word : words) {
    samples.emplace_back(word, [=](const Of& of) -> std::optional<double> {
      const std::optional<std::string_view> state = word_of(of);
      if (!state) return std::nullopt;
      return *state == word ? 1.0 : 0.0;
    });
  }
  return samples;
}

/// Adds families that are read from the same objects.
template <class Of>
struct Group {
  Families& families;
  const Objects<Of>& objects;

  /// Adds several numbers of each object, distinguished by `label`.
  void add(MetricType type, std::string_view name, std::string_view help, std::string_view label,
           const Samples<Of>& samples) const {
    MetricFamily& family = add_family(families, type, name, help);
    for (const auto& [labels, of] : objects) {
      for (const auto& [named, value] : samples) {
        const std::optional<double> number = value(*of);
        if (!number) continue;
        add_sample(family, label.empty() ? labels : with(labels, label, named), *number);
      }
    }
  }
  /// Adds one number of each object.
  void add(MetricType type, std::string_view name, std::string_view help, ValueOf<Of> value) const {
    add(type, name, help, "", {{"", std::move(value)}});
  }
};

/// Leaves out families without samples.
[[nodiscard]] inline std::string text_of(Families families) {
  std::erase_if(families, [](const MetricFamily& family) { return family.metric.empty(); });
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace prescope::serve
