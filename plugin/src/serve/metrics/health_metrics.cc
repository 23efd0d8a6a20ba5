#include <cstdint>

#include "serve/metrics/metric_family.h"

namespace prescope::serve {

namespace {

using prometheus::MetricFamily;

struct HealthCounter {
  std::uint64_t Health::*count;
  std::string_view label;  ///< empty in a family of one
};

struct HealthFamily {
  std::string_view name, help, label_name;
  std::vector<HealthCounter> counters;
};

const std::vector<HealthFamily>& health_families() {
  static const std::vector<HealthFamily> kFamilies = {
      {"prescope_observations_total",
       "Observations, by how far they came.",
       "stage",
       {{&Health::pushed, "pushed"}, {&Health::recorded, "recorded"}}},
      {"prescope_dropped_total",
       "Observations that are lost and in no score.",
       "reason",
       {{&Health::dropped_queue_full, "queue_full"},
        {&Health::recorder_failures, "recorder_failure"}}},
      {"prescope_unscored_total",
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
      {"prescope_failures_total",
       "Failures that were kept from the host.",
       "component",
       {{&Health::adapter_failures, "adapter"},
        {&Health::listener_failures, "listener"},
        {&Health::log_failures, "log"},
        {&Health::publish_failures, "publish"}}},
      {"prescope_log_lost_total",
       "Observations that a log lost, all logs together.",
       "reason",
       {{&Health::log_queue_full, "queue_full"}, {&Health::log_write_failures, "write_failure"}}},
      {"prescope_clock_steps_total",
       "Latencies below zero, taken as unknown.",
       "",
       {{&Health::clock_steps, ""}}},
      {"prescope_shadow_queries_total",
       "Queries offered for comparison, by what became of them.",
       "outcome",
       {{&Health::shadow_unjudged, "unjudged"},
        {&Health::shadow_unpaired, "unpaired"},
        {&Health::shadow_sampled_out, "sampled_out"},
        {&Health::shadow_queue_full, "queue_full"},
        {&Health::shadow_expired, "expired"},
        {&Health::shadow_run, "run"}}},
      {"prescope_shadow_failures_total",
       "Queries run for comparison of whose searches one threw.",
       "",
       {{&Health::shadow_failed, ""}}}};
  return kFamilies;
}

}  // namespace

MetricFamilies health_metrics(const Summary& summary, const MetricLabels& labels) {
  MetricFamilies families;
  for (const HealthFamily& of : health_families()) {
    MetricFamily& family = families.emplace_back(counter(of.name, of.help));
    for (const HealthCounter& each : of.counters) {
      Labels of_counter = labels.experiment();
      if (!each.label.empty()) of_counter = with(of_counter, of.label_name, each.label);
      add(family, std::move(of_counter), static_cast<double>(summary.health.*each.count));
    }
  }
  return families;
}

namespace {

using prometheus::MetricFamily;

/// An arm's own gauges and counters.
struct ArmFamilies {
  MetricFamily active = gauge("prescope_arm_active", "1 while the arm takes part, 0 while paused.");
  MetricFamily queries =
      counter("prescope_queries_total", "Rankings recorded, of users and for comparison.");
  MetricFamily retried =
      counter("prescope_queries_retried_total", "Of these, served only when asked again.");
  MetricFamily failures =
      counter("prescope_query_failures_total", "Searches that ended without a ranking.");
  MetricFamily duplicates = counter("prescope_duplicate_hits_total",
                                    "Judged documents served again in the same ranking.");
  MetricFamily generation = gauge("prescope_index_generation",
                                  "Number of the newest index that was resolved; it only grows.");
  MetricFamily missing = gauge("prescope_relevant_missing",
                               "Judged relevant documents that are not in the arm's index.");
  MetricFamily seen = gauge("prescope_topics_seen", "Topics served in this epoch.");
  MetricFamily awaiting = gauge("prescope_topics_awaiting",
                                "Topics whose score is unknown since they were judged anew.");

  void add_arm(const Labels& labels, const ArmSummary& arm) {
    const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
    add(active, labels, arm.status == ArmStatus::kActive ? 1.0 : 0.0);
    add(queries, with(labels, "judged", "true"), number(arm.judged_queries));
    add(queries, with(labels, "judged", "false"), number(arm.unjudged_queries));
    add(retried, labels, number(arm.retried_queries));
    add(failures, with(labels, "reason", "failed"), number(arm.failed_queries));
    add(failures, with(labels, "reason", "timed_out"), number(arm.timed_out_queries));
    add(duplicates, labels, number(arm.duplicate_hits));
    if (arm.generation) add(generation, labels, number(*arm.generation));
    if (arm.relevant_missing) add(missing, labels, number(*arm.relevant_missing));
    add(seen, labels, arm.topics_seen);
    add(awaiting, labels, arm.topics_awaiting);
  }
};

constexpr double kSecondsPerUs = 1e-6;

/// One of the two kinds of queries that watching has a cost for.
struct SelfTime {
  std::uint64_t count = 0;
  double sum_us = 0.0;
  std::optional<double> p50_us{}, p99_us{};
};

prometheus::ClientMetric::Summary in_seconds(const SelfTime& time) {
  prometheus::ClientMetric::Summary metric;
  metric.sample_count = time.count;
  metric.sample_sum = time.sum_us * kSecondsPerUs;
  if (time.p50_us) metric.quantile.push_back({0.5, *time.p50_us * kSecondsPerUs});
  if (time.p99_us) metric.quantile.push_back({0.99, *time.p99_us * kSecondsPerUs});
  return metric;
}

void add_overhead(MetricFamily& family, const Labels& labels, const ArmSummary& arm) {
  add(family, with(labels, "judged", "true"),
      in_seconds({arm.self_count, arm.self_sum_us, arm.self_p50_us, arm.self_p99_us}));
  add(family, with(labels, "judged", "false"),
      in_seconds({arm.unjudged_self_count, arm.unjudged_self_sum_us, arm.unjudged_self_p50_us,
                  arm.unjudged_self_p99_us}));
}

}  // namespace

MetricFamilies traffic_metrics(const Summary& summary, const MetricLabels& labels) {
  ArmFamilies of_arms;
  MetricFamily durations =
      histogram("prescope_query_duration_seconds",
                "Latency of searches; those that failed are above all bounds.");
  MetricFamily overhead = quantiles("prescope_overhead_seconds",
                                    "The plugin's own time per query, since its arm came.");
  const bool compares = summary.mode == Mode::kPaired;
  for (const std::size_t a : labels.arms()) {
    const ArmSummary& arm = summary.arms[a];
    of_arms.add_arm(labels.arm(a), arm);
    add(durations, with(labels.arm(a), "kind", "served"), duration_histogram(arm.latency));
    if (compares || arm.shadow_latency.count > 0) {
      add(durations, with(labels.arm(a), "kind", "shadow"), duration_histogram(arm.shadow_latency));
    }
    add_overhead(overhead, labels.arm(a), arm);
  }
  return {std::move(of_arms.active),     std::move(of_arms.queries),    std::move(of_arms.retried),
          std::move(of_arms.failures),   std::move(durations),          std::move(overhead),
          std::move(of_arms.duplicates), std::move(of_arms.generation), std::move(of_arms.missing),
          std::move(of_arms.seen),       std::move(of_arms.awaiting)};
}

}  // namespace prescope::serve
