#include <cmath>

#include "report/summary_json.h"

namespace prescope {
namespace {

std::string_view name_of(ArmStatus status) {
  switch (status) {
    case ArmStatus::kActive:
      return "active";
    case ArmStatus::kPaused:
      return "paused";
    case ArmStatus::kRemoved:
      return "removed";
  }
  return "";
}

/// JSON has no infinity: a query that failed has no milliseconds.
Json ms_or_null(const std::optional<double>& ms) {
  return ms && std::isfinite(*ms) ? Json(*ms) : Json(nullptr);
}

Json drift_json(const Drift& drift) {
  return {{"revisited", drift.revisited},
          {"changed", drift.changed},
          {"mean_change", drift.mean_change},
          {"largest", drift.largest},
          {"topic", drift.changed > 0 ? Json(drift.topic.text()) : Json(nullptr)}};
}

Json mean_json(const MeasureMean& mean) {
  return {{"mean", or_null(mean.mean)},
          {"topics", mean.topics},
          {"mean_over_all", or_null(mean.mean_over_all)},
          {"too_shallow", mean.too_shallow},
          {"drift", drift_json(mean.drift)}};
}

Json interval_json(const LatencyQuantile& quantile) {
  return {{"low", ms_or_null(quantile.low_ms)}, {"high", ms_or_null(quantile.high_ms)}};
}

Json latency_json(const LatencySummary& latency) {
  return {{"count", latency.count},
          {"p50", ms_or_null(latency.p50.ms)},
          {"p90", ms_or_null(latency.p90.ms)},
          {"p95", ms_or_null(latency.p95.ms)},
          {"p99", ms_or_null(latency.p99.ms)},
          {"max", ms_or_null(latency.max_ms)},
          {"intervals",
           {{"p50", interval_json(latency.p50)},
            {"p90", interval_json(latency.p90)},
            {"p95", interval_json(latency.p95)},
            {"p99", interval_json(latency.p99)}}}};
}

Json self_time_json(const std::optional<double>& p50_us, const std::optional<double>& p99_us) {
  return {{"p50", or_null(p50_us)}, {"p99", or_null(p99_us)}};
}

}  // namespace

Json arm_json(const ArmSummary& arm) {
  Json means = Json::object();
  for (const MeasureMean& mean : arm.means) means[mean.measure.name()] = mean_json(mean);
  return {
      {"name", arm.id.text()},
      {"status", name_of(arm.status)},
      {"judged_queries", arm.judged_queries},
      {"unjudged_queries", arm.unjudged_queries},
      {"retried_queries", arm.retried_queries},
      {"failed_queries", arm.failed_queries},
      {"timed_out_queries", arm.timed_out_queries},
      {"topics_seen", arm.topics_seen},
      {"topics_awaiting", arm.topics_awaiting},
      {"means", std::move(means)},
      {"latency_ms", latency_json(arm.latency)},
      {"shadow_latency_ms", latency_json(arm.shadow_latency)},
      {"self_time_us", self_time_json(arm.self_p50_us, arm.self_p99_us)},
      {"unjudged_self_time_us", self_time_json(arm.unjudged_self_p50_us, arm.unjudged_self_p99_us)},
      {"duplicate_hits", arm.duplicate_hits},
      {"relevant_missing", or_null(arm.relevant_missing)}};
}

}  // namespace prescope
