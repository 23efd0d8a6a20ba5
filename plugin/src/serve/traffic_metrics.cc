#include "serve/duration_buckets.h"
#include "serve/metric_groups.h"

namespace prescope::serve {
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
