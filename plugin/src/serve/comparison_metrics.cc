#include <array>

#include "serve/metric_groups.h"

namespace prescope::serve {
namespace {

using prometheus::MetricFamily;

/// Of `prescope_verdict`; which side, the sign of the mean says.
constexpr std::array<std::string_view, 6> kStates = {"collecting",       "no_verdict",
                                                     "leading_better",   "leading_worse",
                                                     "confirmed_better", "confirmed_worse"};

std::string_view state_of(const MeasureDifference& difference) {
  const bool better = difference.mean.value_or(0.0) > 0.0;
  switch (difference.live.state) {
    case LiveState::kCollecting:
      return kStates[0];
    case LiveState::kNoVerdict:
      return kStates[1];
    case LiveState::kLeading:
      return kStates[better ? 2 : 3];
    case LiveState::kConfirmed:
      return kStates[better ? 4 : 5];
  }
  return "";
}

/// Samples of the three bounds; what is not known is left out.
void add_bounds(MetricFamily& family, const Labels& labels, std::optional<double> mean,
                std::optional<double> low, std::optional<double> high) {
  if (mean) add(family, with(labels, "bound", "mean"), *mean);
  if (low) add(family, with(labels, "bound", "low"), *low);
  if (high) add(family, with(labels, "bound", "high"), *high);
}

struct DifferenceFamilies {
  MetricFamily difference =
      gauge("prescope_paired_difference",
            "Mean difference of arm b less arm a over paired topics, and its confidence sequence.");
  MetricFamily topics = gauge("prescope_paired_topics", "Topics that the difference is over.");
  MetricFamily detectable =
      gauge("prescope_detectable_difference",
            "Smallest true difference that as many topics would show in 4 of 5 cases.");
  MetricFamily verdict =
      gauge("prescope_verdict", "1 for the state that the evidence about arm b is in, else 0.");

  void add_difference(const Labels& labels, const MeasureDifference& of) {
    add_bounds(difference, labels, of.mean, of.live.low, of.live.high);
    add(topics, labels, of.topics);
    if (of.live.detectable) add(detectable, labels, *of.live.detectable);
    const std::string_view now = state_of(of);
    for (const std::string_view state : kStates) {
      add(verdict, with(labels, "state", state), state == now ? 1.0 : 0.0);
    }
  }
};

}  // namespace

MetricFamilies comparison_metrics(const Summary& summary, const MetricLabels& labels) {
  DifferenceFamilies differences;
  MetricFamily latency = gauge(
      "prescope_latency_ratio",
      "Latency of arm b over arm a, geometric mean over topics, and its confidence sequence.");
  MetricFamily alarm =
      gauge("prescope_sample_ratio_alarm",
            "1 where the arms of a split were given too unequal shares of topics.");
  for (const ArmPair& pair : summary.pairs) {
    const Labels of_pair = labels.pair(pair);
    for (const MeasureDifference& difference : pair.differences) {
      differences.add_difference(with(of_pair, "measure", difference.measure.name()), difference);
    }
    add_bounds(latency, of_pair, pair.latency.mean, pair.latency.low, pair.latency.high);
    if (pair.sample_ratio) add(alarm, of_pair, pair.sample_ratio->alarm ? 1.0 : 0.0);
  }
  return {std::move(differences.difference),
          std::move(differences.topics),
          std::move(differences.detectable),
          std::move(differences.verdict),
          std::move(latency),
          std::move(alarm)};
}

}  // namespace prescope::serve
