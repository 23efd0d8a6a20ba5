#include "live/summarize_arm.h"

#include <cmath>
#include <limits>

#include "core/evaluation.h"
#include "core/statistics/differences.h"
#include "core/statistics/quantile_ranks.h"

namespace prescope {
namespace {

using std::chrono::nanoseconds;

constexpr double kNsPerMs = 1e6;
constexpr double kNsPerUs = 1e3;
constexpr double kUsPerMs = 1e3;

std::optional<double> in_unit(std::optional<nanoseconds> duration, double ns_per_unit) {
  if (!duration) return std::nullopt;
  if (*duration == LatencySketch::kNever) return std::numeric_limits<double>::infinity();
  return static_cast<double>(duration->count()) / ns_per_unit;
}

LatencyQuantile quantile_with_interval(const LatencySketch& sketch, double q) {
  if (sketch.count() == 0) return {};
  // Ranks 0 and count + 1, which are no order statistics, have no value: the interval is open.
  const QuantileRanks ranks = quantile_ranks_always(sketch.count(), q);
  return {.ms = in_unit(sketch.quantile(q), kNsPerMs),
          .low_ms = in_unit(sketch.at_rank(ranks.low), kNsPerMs),
          .high_ms = in_unit(sketch.at_rank(ranks.high), kNsPerMs)};
}

LatencySummary latency_summary(const LatencySketch& sketch) {
  return {.count = sketch.count(),
          .p50 = quantile_with_interval(sketch, 0.50),
          .p90 = quantile_with_interval(sketch, 0.90),
          .p95 = quantile_with_interval(sketch, 0.95),
          .p99 = quantile_with_interval(sketch, 0.99),
          .max_ms = in_unit(sketch.max(), kNsPerMs),
          .sum_ms = sketch.sum_ms(),
          .buckets = sketch.buckets()};
}

std::uint64_t relevant_missing(const ResolvedQrels& resolved) {
  const JudgedDocnos& judged = resolved.judged();
  std::uint64_t missing = 0;
  for (const std::uint32_t key : resolved.missing_keys()) {
    for (const JudgedDocnos::Use& use : judged.uses(key)) {
      missing += judged.qrels().topic(use.topic).is_relevant(use.judgement) ? 1 : 0;
    }
  }
  return missing;
}

/// The change from the mean of the other visits to the last one; `visits` >= 2.
double last_change(const Ledger::Score& score) {
  const double visits = score.visits;
  return clean_difference(score.last, score.mean) * visits / (visits - 1.0);
}

Drift drift_of(const Ledger& ledger, ArmIndex arm, std::size_t measure) {
  Drift drift;
  std::optional<std::size_t> farthest;
  double sum = 0.0;
  for (std::size_t t = 0; t < ledger.arm(arm).topics.size(); ++t) {
    const Ledger::Score& score =
        ledger.score(arm, TopicIndex(static_cast<std::uint32_t>(t)), measure);
    if (score.visits < 2) continue;
    ++drift.revisited;
    const double change = std::abs(last_change(score));
    if (change == 0.0) continue;
    ++drift.changed;
    sum += change;
    if (change <= drift.largest) continue;
    drift.largest = change;
    farthest = t;
  }
  if (drift.revisited > 0) drift.mean_change = sum / drift.revisited;
  if (farthest) drift.topic = ledger.qrels().topics()[*farthest].id();
  return drift;
}

MeasureMean measure_mean(const Ledger& ledger, ArmIndex arm, std::size_t m,
                         std::uint32_t with_relevant) {
  const Measure& measure = ledger.scorer().measures()[m];
  MeasureMean mean{.measure = measure};
  if (ledger.arm(arm).is_removed()) return mean;
  const Ledger::MeasureState& state = ledger.arm(arm).measures[m];
  const auto topics = static_cast<std::uint32_t>(state.values.n());
  mean.topics = topics;
  mean.too_shallow = state.too_shallow;
  if (topics > 0) mean.mean = mean_from_scale(measure, state.values.mean());
  if (with_relevant > 0) {
    const double missing = with_relevant > topics ? with_relevant - topics : 0.0;
    const double sum = state.values.sum() + missing * on_scale_of_mean(measure, 0.0);
    mean.mean_over_all = mean_from_scale(measure, sum / (topics + missing));
  }
  mean.drift = drift_of(ledger, arm, m);
  return mean;
}

}  // namespace

ArmSummary summarize_arm(const Ledger& ledger, ArmIndex index, const ArmFacts& facts,
                         std::uint32_t with_relevant) {
  const Ledger::ArmState& arm = ledger.arm(index);
  ArmSummary summary{
      .id = facts.id,
      .status = facts.status,
      .judged_queries = arm.judged_queries,
      .unjudged_queries = arm.unjudged_queries,
      .retried_queries = arm.retried_queries,
      .failed_queries = arm.failed_queries,
      .timed_out_queries = arm.timed_out_queries,
      .topics_seen = arm.topics_seen,
      .topics_awaiting = arm.topics_awaiting,
      .latency = latency_summary(arm.latency),
      .shadow_latency = latency_summary(arm.shadow_latency),
      .self_p50_us = in_unit(arm.self_time.quantile(0.50), kNsPerUs),
      .self_p99_us = in_unit(arm.self_time.quantile(0.99), kNsPerUs),
      .unjudged_self_p50_us = in_unit(arm.unjudged_self_time.quantile(0.50), kNsPerUs),
      .unjudged_self_p99_us = in_unit(arm.unjudged_self_time.quantile(0.99), kNsPerUs),
      .self_count = arm.self_time.count(),
      .unjudged_self_count = arm.unjudged_self_time.count(),
      .self_sum_us = arm.self_time.sum_ms() * kUsPerMs,
      .unjudged_self_sum_us = arm.unjudged_self_time.sum_ms() * kUsPerMs,
      .duplicate_hits = arm.duplicate_hits};
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    summary.means.push_back(measure_mean(ledger, index, m, with_relevant));
  }
  if (facts.resolved != nullptr) {
    summary.generation = facts.resolved->generation();
    summary.relevant_missing = relevant_missing(*facts.resolved);
  }
  return summary;
}

}  // namespace prescope
