#include "serve/metrics/metrics.h"

#include <fmt/format.h>
#include <prometheus/text_serializer.h>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include "report/live/summary_json.h"
#include "serve/metrics/metric_family.h"

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

namespace {

using prometheus::MetricFamily;

MetricFamily build_info() {
  MetricFamily family = gauge("prescope_build_info", "Always 1; the version of prescope.");
  add(family, {Label{"version", PRESCOPE_VERSION}}, 1.0);
  return family;
}

MetricFamily experiment_info(const Summary& summary, const MetricLabels& labels) {
  MetricFamily family =
      gauge("prescope_experiment_info", "Always 1; how the queries of the arms come about.");
  add(family, with(labels.experiment(), "mode", name_of(summary.mode)), 1.0);
  return family;
}

MetricFamily of_experiment(const MetricLabels& labels, std::string_view name, std::string_view help,
                           double value) {
  MetricFamily family = gauge(name, help);
  add(family, labels.experiment(), value);
  return family;
}

MetricFamily epoch_reason(const Epoch& epoch, const MetricLabels& labels) {
  MetricFamily family =
      gauge("prescope_epoch_reason", "1 for the reason why the current epoch began, 0 for others.");
  for (const EpochReason reason : {EpochReason::kStart, EpochReason::kGeneration,
                                   EpochReason::kArms, EpochReason::kJudgements}) {
    add(family, with(labels.experiment(), "reason", to_string(reason)),
        epoch.reason == reason ? 1.0 : 0.0);
  }
  return family;
}

}  // namespace

MetricFamilies experiment_metrics(const Summary& summary, const MetricLabels& labels) {
  const auto of = [&labels](std::string_view name, std::string_view help, std::uint64_t value) {
    return of_experiment(labels, name, help, static_cast<double>(value));
  };
  return {build_info(),
          experiment_info(summary, labels),
          of("prescope_epoch", "Number of the current epoch, from 1.", summary.epoch.number),
          epoch_reason(summary.epoch, labels),
          of("prescope_epoch_observations", "Observations recorded in the current epoch.",
             summary.epoch.observations),
          of("prescope_judged_topics", "Topics of the judgements that have a relevant document.",
             summary.topics - summary.topics_without_relevant),
          of("prescope_judgements", "Judgements of all topics.", summary.judgements)};
}

namespace {

using prometheus::MetricFamily;

/// Topics by score: 0 alone, then steps of 0.05 up to 1; the last is for what is above.
constexpr std::size_t kSteps = 20;
using ScoreCounts = std::array<std::uint64_t, kSteps + 2>;

constexpr std::array<double, kSteps + 1> kEnds = [] {
  std::array<double, kSteps + 1> ends{};
  for (std::size_t i = 0; i <= kSteps; ++i) ends[i] = static_cast<double>(i) / kSteps;
  return ends;
}();

/// The first step that ends at the score or above.
std::size_t step_of(double score) {
  if (!(score > 0.0)) return 0;
  if (score > 1.0) return kSteps + 1;
  const auto step = static_cast<std::size_t>(score * static_cast<double>(kSteps));
  return score > kEnds[step] ? step + 1 : step;
}

/// By arm and measure. Once over the rows: they are far apart in memory.
std::vector<std::vector<ScoreCounts>> counts_of(const Summary& summary) {
  std::vector<std::vector<ScoreCounts>> counts(summary.arms.size(),
                                               std::vector<ScoreCounts>(summary.measures.size()));
  for (const TopicRow& row : summary.rows) {
    for (std::size_t arm = 0; arm < row.arms.size(); ++arm) {
      const std::vector<std::optional<double>>& means = row.arms[arm].means;
      for (std::size_t m = 0; m < means.size(); ++m) {
        if (means[m]) ++counts[arm][m][step_of(*means[m])];
      }
    }
  }
  return counts;
}

std::string end_text(std::size_t step) {
  return step > kSteps ? "+Inf" : fmt::format("{}", kEnds[step]);
}

void add_cumulated(MetricFamily& family, const Labels& labels, const ScoreCounts& counts) {
  std::uint64_t cumulated = 0;
  for (std::size_t step = 0; step < counts.size(); ++step) {
    cumulated += counts[step];
    add(family, with(labels, "le", end_text(step)), static_cast<double>(cumulated));
  }
}

/// Not a histogram to Prometheus, whose counts must never fall.
MetricFamily score_distribution(const Summary& summary, const MetricLabels& labels) {
  MetricFamily family =
      untyped("prescope_topic_scores_bucket",
              "Topics that now score at most le, each with its mean over visits.");
  if (summary.detail != SummaryDetail::kEveryTopic) return family;
  const std::vector<std::vector<ScoreCounts>> counts = counts_of(summary);
  for (const std::size_t arm : labels.arms()) {
    for (std::size_t m = 0; m < summary.measures.size(); ++m) {
      add_cumulated(family, labels.arm_measure(arm, m), counts[arm][m]);
    }
  }
  return family;
}

}  // namespace

MetricFamilies score_metrics(const Summary& summary, const MetricLabels& labels) {
  MetricFamily score = gauge("prescope_topic_score",
                             "Mean score over topics, each with its mean over visits, 0 to 1.");
  MetricFamily topics = gauge("prescope_topics", "Topics that have a score and are in the mean.");
  MetricFamily too_shallow =
      gauge("prescope_topics_too_shallow",
            "Topics without a score because their ranking ends before the cutoff.");
  for (const std::size_t arm : labels.arms()) {
    const std::vector<MeasureMean>& means = summary.arms[arm].means;
    for (std::size_t m = 0; m < means.size(); ++m) {
      const Labels of_measure = labels.arm_measure(arm, m);
      if (means[m].mean) add(score, of_measure, *means[m].mean);
      add(topics, of_measure, means[m].topics);
      add(too_shallow, of_measure, means[m].too_shallow);
    }
  }
  return {std::move(score), std::move(topics), std::move(too_shallow),
          score_distribution(summary, labels)};
}

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
