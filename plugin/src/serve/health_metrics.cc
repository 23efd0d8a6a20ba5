#include <cstdint>

#include "serve/metric_groups.h"

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

}  // namespace prescope::serve
