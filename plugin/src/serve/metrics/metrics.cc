#include "serve/metrics/metrics.h"

#include <fmt/format.h>
#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "report/live/live_report.h"
#include "report/text/clean_text.h"

namespace prescope::serve {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;
using MetricFamilies = std::vector<MetricFamily>;

Labels with(Labels labels, std::string_view name, std::string_view value) {
  labels.push_back({std::string(name), std::string(value)});
  return labels;
}

/// `help` must be one line without a backslash, because the serialiser does not escape it.
MetricFamily family_of(MetricType type, std::string_view name, std::string_view help) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  return family;
}

ClientMetric& add(MetricFamily& family, Labels labels) {
  ClientMetric& metric = family.metric.emplace_back();
  metric.label = std::move(labels);
  return metric;
}

void add(MetricFamily& family, Labels labels, double value) {
  ClientMetric& metric = add(family, std::move(labels));
  metric.counter.value = metric.gauge.value = metric.untyped.value = value;
}

/// A family of counters or gauges, and which numbers of an `Of` are its samples.
template <class Of>
struct Family {
  struct Sample {
    std::function<std::optional<double>(const Of&)> value;
    std::string_view label = "";  ///< value of the label `Family::label`
  };
  MetricType type;
  std::string_view name, help;
  std::string_view label;  ///< tells the samples apart; empty if there is one sample
  std::vector<Sample> samples;
};

template <class Of>
Family<Of> gauge(std::string_view name, std::string_view help,
                 std::function<std::optional<double>(const Of&)> value) {
  return {MetricType::Gauge, name, help, "", {{std::move(value)}}};
}
template <class Of>
Family<Of> counter(std::string_view name, std::string_view help,
                   std::function<std::optional<double>(const Of&)> value) {
  return {MetricType::Counter, name, help, "", {{std::move(value)}}};
}

template <class Of>
struct Labelled {
  Labels labels;
  const Of* of;
};

/// Appends the families of a table with the samples of all objects; a family without samples is
/// left out.
template <class Of>
void append(MetricFamilies& families, const std::vector<Family<Of>>& table,
            const std::vector<Labelled<Of>>& objects) {
  for (const Family<Of>& row : table) {
    MetricFamily family = family_of(row.type, row.name, row.help);
    for (const auto& [labels, of] : objects) {
      for (const auto& sample : row.samples) {
        const std::optional<double> value = sample.value(*of);
        if (!value) continue;
        add(family, row.label.empty() ? labels : with(labels, row.label, sample.label), *value);
      }
    }
    if (!family.metric.empty()) families.push_back(std::move(family));
  }
}

/// Names of arms as they are shown. One that is shown like an arm before it gets its number: no two
/// samples may have the same labels.
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

const std::vector<Family<Summary>>& epoch_table() {
  const auto reason = [](EpochReason of) {
    return Family<Summary>::Sample{
        [of](const Summary& summary) { return summary.epoch.reason == of ? 1.0 : 0.0; },
        to_string(of)};
  };
  static const std::vector<Family<Summary>> kTable = {
      gauge<Summary>("prescope_epoch", "Number of the current epoch, from 1.",
                     [](const Summary& summary) { return summary.epoch.number; }),
      {MetricType::Gauge,
       "prescope_epoch_reason",
       "1 for the reason why the current epoch began, 0 for others.",
       "reason",
       {reason(EpochReason::kStart), reason(EpochReason::kGeneration), reason(EpochReason::kArms),
        reason(EpochReason::kJudgements)}},
      gauge<Summary>("prescope_epoch_observations", "Observations recorded in the current epoch.",
                     [](const Summary& summary) { return summary.epoch.observations; }),
      gauge<Summary>(
          "prescope_judged_topics", "Topics of the judgements that have a relevant document.",
          [](const Summary& summary) { return summary.topics - summary.topics_without_relevant; }),
      gauge<Summary>("prescope_judgements", "Judgements of all topics.", &Summary::judgements)};
  return kTable;
}

const std::vector<Family<ArmSummary>>& query_table() {
  static const std::vector<Family<ArmSummary>> kTable = {
      gauge<ArmSummary>(
          "prescope_arm_active", "1 while the arm takes part, 0 while paused.",
          [](const ArmSummary& arm) { return arm.status == ArmStatus::kActive ? 1.0 : 0.0; }),
      {MetricType::Counter,
       "prescope_queries_total",
       "Rankings recorded, of users and for comparison.",
       "judged",
       {{&ArmSummary::judged_queries, "true"}, {&ArmSummary::unjudged_queries, "false"}}},
      counter<ArmSummary>("prescope_queries_retried_total",
                          "Of these, served only when asked again.", &ArmSummary::retried_queries),
      {MetricType::Counter,
       "prescope_query_failures_total",
       "Searches that ended without a ranking.",
       "reason",
       {{&ArmSummary::failed_queries, "failed"}, {&ArmSummary::timed_out_queries, "timed_out"}}}};
  return kTable;
}

const std::vector<Family<ArmSummary>>& index_table() {
  static const std::vector<Family<ArmSummary>> kTable = {
      counter<ArmSummary>("prescope_duplicate_hits_total",
                          "Judged documents served again in the same ranking.",
                          &ArmSummary::duplicate_hits),
      gauge<ArmSummary>("prescope_index_generation",
                        "Number of the newest index that was resolved; it only grows.",
                        &ArmSummary::generation),
      gauge<ArmSummary>("prescope_relevant_missing",
                        "Judged relevant documents that are not in the arm's index.",
                        &ArmSummary::relevant_missing),
      gauge<ArmSummary>("prescope_topics_seen", "Topics served in this epoch.",
                        &ArmSummary::topics_seen),
      gauge<ArmSummary>("prescope_topics_awaiting",
                        "Topics whose score is unknown since they were judged anew.",
                        &ArmSummary::topics_awaiting)};
  return kTable;
}

const std::vector<Family<MeasureMean>>& score_table() {
  static const std::vector<Family<MeasureMean>> kTable = {
      gauge<MeasureMean>("prescope_topic_score",
                         "Mean score over topics, each with its mean over visits, 0 to 1.",
                         &MeasureMean::mean),
      gauge<MeasureMean>("prescope_topics", "Topics that have a score and are in the mean.",
                         &MeasureMean::topics),
      gauge<MeasureMean>("prescope_topics_too_shallow",
                         "Topics without a score because their ranking ends before the cutoff.",
                         &MeasureMean::too_shallow)};
  return kTable;
}

/// Values of the label `state`. Which arm is better, the sign of the mean says.
std::string_view state_of(const MeasureDifference& difference) {
  const bool better = difference.mean.value_or(0.0) > 0.0;
  switch (difference.live.state) {
    case LiveState::kCollecting:
      return "collecting";
    case LiveState::kNoVerdict:
      return "no_verdict";
    case LiveState::kLeading:
      return better ? "leading_better" : "leading_worse";
    case LiveState::kConfirmed:
      return better ? "confirmed_better" : "confirmed_worse";
  }
  return "";
}

const std::vector<Family<MeasureDifference>>& difference_table() {
  const auto state = [](std::string_view name) {
    return Family<MeasureDifference>::Sample{[name](const MeasureDifference& difference) {
                                               return state_of(difference) == name ? 1.0 : 0.0;
                                             },
                                             name};
  };
  static const std::vector<Family<MeasureDifference>> kTable = {
      {MetricType::Gauge,
       "prescope_paired_difference",
       "Mean difference of arm b less arm a over paired topics, and its confidence sequence.",
       "bound",
       {{&MeasureDifference::mean, "mean"},
        {[](const MeasureDifference& difference) { return difference.live.low; }, "low"},
        {[](const MeasureDifference& difference) { return difference.live.high; }, "high"}}},
      gauge<MeasureDifference>("prescope_paired_topics", "Topics that the difference is over.",
                               &MeasureDifference::topics),
      gauge<MeasureDifference>(
          "prescope_detectable_difference",
          "Smallest true difference that as many topics would show in 4 of 5 cases.",
          [](const MeasureDifference& difference) { return difference.live.detectable; }),
      {MetricType::Gauge,
       "prescope_verdict",
       "1 for the state that the evidence about arm b is in, else 0.",
       "state",
       {state("collecting"), state("no_verdict"), state("leading_better"), state("leading_worse"),
        state("confirmed_better"), state("confirmed_worse")}}};
  return kTable;
}

const std::vector<Family<ArmPair>>& pair_table() {
  static const std::vector<Family<ArmPair>> kTable = {
      {MetricType::Gauge,
       "prescope_latency_ratio",
       "Latency of arm b over arm a, geometric mean over topics, and its confidence sequence.",
       "bound",
       {{[](const ArmPair& pair) { return pair.latency.mean; }, "mean"},
        {[](const ArmPair& pair) { return pair.latency.low; }, "low"},
        {[](const ArmPair& pair) { return pair.latency.high; }, "high"}}},
      gauge<ArmPair>("prescope_sample_ratio_alarm",
                     "1 where the arms of a split were given too unequal shares of topics.",
                     [](const ArmPair& pair) {
                       return pair.sample_ratio
                                  ? std::optional(pair.sample_ratio->alarm ? 1.0 : 0.0)
                                  : std::nullopt;
                     })};
  return kTable;
}

const std::vector<Family<Health>>& health_table() {
  static const std::vector<Family<Health>> kTable = {
      {MetricType::Counter,
       "prescope_observations_total",
       "Observations, by how far they came.",
       "stage",
       {{&Health::pushed, "pushed"}, {&Health::recorded, "recorded"}}},
      {MetricType::Counter,
       "prescope_dropped_total",
       "Observations that are lost and in no score.",
       "reason",
       {{&Health::dropped_queue_full, "queue_full"},
        {&Health::recorder_failures, "recorder_failure"}}},
      {MetricType::Counter,
       "prescope_unscored_total",
       "Rankings that are in no score, by why.",
       "reason",
       {{&Health::queries_without_scope, "no_scope"},
        {&Health::queries_without_ranking, "no_ranking"},
        {&Health::unknown_arm, "unknown_arm"},
        {&Health::unmatched_rankings, "unmatched"},
        {&Health::page_gaps, "page_gap"},
        {&Health::sampled_out, "sampled_out"},
        {&Health::inactive_arm, "inactive_arm"},
        {&Health::late_observations, "late"}}},
      {MetricType::Counter,
       "prescope_failures_total",
       "Failures that were kept from the host.",
       "component",
       {{&Health::adapter_failures, "adapter"},
        {&Health::listener_failures, "listener"},
        {&Health::log_failures, "log"},
        {&Health::publish_failures, "publish"}}},
      {MetricType::Counter,
       "prescope_log_lost_total",
       "Observations that a log lost, all logs together.",
       "reason",
       {{&Health::log_queue_full, "queue_full"}, {&Health::log_write_failures, "write_failure"}}},
      counter<Health>("prescope_clock_steps_total", "Latencies below zero, taken as unknown.",
                      &Health::clock_steps),
      {MetricType::Counter,
       "prescope_shadow_queries_total",
       "Queries offered for comparison, by what became of them.",
       "outcome",
       {{&Health::shadow_unjudged, "unjudged"},
        {&Health::shadow_unpaired, "unpaired"},
        {&Health::shadow_sampled_out, "sampled_out"},
        {&Health::shadow_queue_full, "queue_full"},
        {&Health::shadow_expired, "expired"},
        {&Health::shadow_run, "run"}}},
      counter<Health>("prescope_shadow_failures_total",
                      "Queries run for comparison of whose searches one threw.",
                      &Health::shadow_failed)};
  return kTable;
}

/// The latency in buckets with fixed ends from 1 ms to 10 s, in seconds. A query counted up to an
/// end never took longer; one that took less by under 2 % may be counted above it, so nothing looks
/// faster than it was. Failures are in the last bucket only, and not in the sum. No count falls,
/// nor the sum, from one summary of an arm to a later one.
ClientMetric::Histogram duration_histogram(const LatencySummary& latency) {
  constexpr double kMsPerSecond = 1e3;
  // Steps of at most 5/3, so that a quantile interpolated within one is still useful.
  constexpr std::array kEndsMs = {1.0,    1.5,    2.0,    3.0,    5.0,    7.5,    10.0,
                                  15.0,   20.0,   30.0,   50.0,   75.0,   100.0,  150.0,
                                  200.0,  300.0,  500.0,  750.0,  1000.0, 1500.0, 2000.0,
                                  3000.0, 5000.0, 7500.0, 10000.0};
  ClientMetric::Histogram histogram;
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

MetricFamily query_durations(const Summary& summary,
                             const std::vector<Labelled<ArmSummary>>& arms) {
  MetricFamily family = family_of(MetricType::Histogram, "prescope_query_duration_seconds",
                                  "Latency of searches; those that failed are above all bounds.");
  for (const auto& [labels, arm] : arms) {
    add(family, with(labels, "kind", "served")).histogram = duration_histogram(arm->latency);
    if (summary.mode == Mode::kPaired || arm->shadow_latency.count > 0) {
      add(family, with(labels, "kind", "shadow")).histogram =
          duration_histogram(arm->shadow_latency);
    }
  }
  return family;
}

MetricFamily overhead(const std::vector<Labelled<ArmSummary>>& arms) {
  MetricFamily family = family_of(MetricType::Summary, "prescope_overhead_seconds",
                                  "The plugin's own time per query, since its arm came.");
  const auto add_one = [&](Labels labels, std::uint64_t count, double sum_us,
                           std::optional<double> p50_us, std::optional<double> p99_us) {
    constexpr double kSecondsPerUs = 1e-6;
    ClientMetric::Summary& summary = add(family, std::move(labels)).summary;
    summary.sample_count = count;
    summary.sample_sum = sum_us * kSecondsPerUs;
    if (p50_us) summary.quantile.push_back({0.5, *p50_us * kSecondsPerUs});
    if (p99_us) summary.quantile.push_back({0.99, *p99_us * kSecondsPerUs});
  };
  for (const auto& [labels, arm] : arms) {
    add_one(with(labels, "judged", "true"), arm->self_count, arm->self_sum_us, arm->self_p50_us,
            arm->self_p99_us);
    add_one(with(labels, "judged", "false"), arm->unjudged_self_count, arm->unjudged_self_sum_us,
            arm->unjudged_self_p50_us, arm->unjudged_self_p99_us);
  }
  return family;
}

/// Numbers of topics by score: 0 alone, then steps of 0.05 up to 1; the last is above 1.
constexpr std::size_t kSteps = 20;
using ScoreCounts = std::array<std::uint64_t, kSteps + 2>;

double end_of(std::size_t step) { return static_cast<double>(step) / kSteps; }

/// The first step that ends at the score or above.
std::size_t step_of(double score) {
  if (!(score > 0.0)) return 0;
  if (score > 1.0) return kSteps + 1;
  const auto step = static_cast<std::size_t>(score * static_cast<double>(kSteps));
  return score > end_of(step) ? step + 1 : step;
}

/// By arm and measure, in one pass over the rows.
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

/// Not a histogram to Prometheus, whose counts must never fall.
MetricFamily score_distribution(const Summary& summary,
                                const std::vector<Labelled<ArmSummary>>& arms) {
  MetricFamily family =
      family_of(MetricType::Untyped, "prescope_topic_scores_bucket",
                "Topics that now score at most le, each with its mean over visits.");
  if (summary.detail != SummaryDetail::kEveryTopic) return family;
  const std::vector<std::vector<ScoreCounts>> counts = counts_of(summary);
  for (const auto& [labels, arm] : arms) {
    const auto place = static_cast<std::size_t>(arm - summary.arms.data());
    for (std::size_t m = 0; m < summary.measures.size(); ++m) {
      const Labels of_measure = with(labels, "measure", summary.measures[m].name());
      std::uint64_t cumulated = 0;
      for (std::size_t step = 0; step <= kSteps + 1; ++step) {
        cumulated += counts[place][m][step];
        const std::string end = step > kSteps ? "+Inf" : fmt::format("{}", end_of(step));
        add(family, with(of_measure, "le", end), static_cast<double>(cumulated));
      }
    }
  }
  return family;
}

void append_info(MetricFamilies& families, const Summary& summary, const Labels& experiment) {
  MetricFamily& build = families.emplace_back(
      family_of(MetricType::Gauge, "prescope_build_info", "Always 1; the version of prescope."));
  add(build, with({}, "version", PRESCOPE_VERSION), 1.0);
  MetricFamily& info =
      families.emplace_back(family_of(MetricType::Gauge, "prescope_experiment_info",
                                      "Always 1; how the queries of the arms come about."));
  add(info, with(experiment, "mode", name_of(summary.mode)), 1.0);
}

void append_arms(MetricFamilies& families, const Summary& summary, const Labels& experiment,
                 const std::vector<std::string>& names) {
  std::vector<Labelled<ArmSummary>> arms;
  std::vector<Labelled<MeasureMean>> means;
  for (std::size_t a = 0; a < summary.arms.size(); ++a) {
    if (summary.arms[a].status == ArmStatus::kRemoved) continue;
    arms.push_back({with(experiment, "arm", names[a]), &summary.arms[a]});
    for (std::size_t m = 0; m < summary.arms[a].means.size(); ++m) {
      means.push_back({with(arms.back().labels, "measure", summary.measures[m].name()),
                       &summary.arms[a].means[m]});
    }
  }
  append(families, query_table(), arms);
  families.push_back(query_durations(summary, arms));
  families.push_back(overhead(arms));
  append(families, index_table(), arms);
  append(families, score_table(), means);
  families.push_back(score_distribution(summary, arms));
}

void append_pairs(MetricFamilies& families, const Summary& summary, const Labels& experiment,
                  const std::vector<std::string>& names) {
  std::vector<Labelled<ArmPair>> pairs;
  std::vector<Labelled<MeasureDifference>> differences;
  for (const ArmPair& pair : summary.pairs) {
    pairs.push_back(
        {with(with(experiment, "a", names[pair.a.value()]), "b", names[pair.b.value()]), &pair});
    for (const MeasureDifference& each : pair.differences) {
      differences.push_back({with(pairs.back().labels, "measure", each.measure.name()), &each});
    }
  }
  append(families, difference_table(), differences);
  append(families, pair_table(), pairs);
}

}  // namespace

std::string metrics_text(const Summary& summary) {
  const Labels experiment = with({}, "experiment", clean_text(summary.experiment));
  const std::vector<std::string> names = distinct_names(summary.arms);
  MetricFamilies families;
  append_info(families, summary, experiment);
  append<Summary>(families, epoch_table(), {{experiment, &summary}});
  append_arms(families, summary, experiment, names);
  append_pairs(families, summary, experiment, names);
  append<Health>(families, health_table(), {{experiment, &summary.health}});
  std::erase_if(families, [](const MetricFamily& family) { return family.metric.empty(); });
  return prometheus::TextSerializer().Serialize(families);
}

std::string server_metrics_text(const ServerCounters& counters) {
  using Row = Family<ServerCounters>;
  Row refused{MetricType::Counter,
              "prescope_http_refused_total",
              "Requests refused and connections ended, by why.",
              "reason",
              {}};
  for (std::size_t i = 0; i < kRefusals; ++i) {
    refused.samples.push_back(
        {[i](const ServerCounters& of) { return of.refused[i].load(); }, kRefusalNames[i]});
  }
  MetricFamilies families;
  append<ServerCounters>(families,
                         {Row{MetricType::Counter,
                              "prescope_http_answered_total",
                              "Requests that were answered.",
                              "",
                              {{&ServerCounters::answered}}},
                          Row{MetricType::Counter,
                              "prescope_http_failed_total",
                              "Requests that ended in a failure.",
                              "",
                              {{&ServerCounters::failed}}},
                          std::move(refused),
                          Row{MetricType::Gauge,
                              "prescope_http_connections",
                              "Connections that are open.",
                              "",
                              {{&ServerCounters::connections}}},
                          Row{MetricType::Gauge,
                              "prescope_http_event_streams",
                              "Connections that listen to events.",
                              "",
                              {{&ServerCounters::event_streams}}}},
                         {{Labels{}, &counters}});
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace prescope::serve
