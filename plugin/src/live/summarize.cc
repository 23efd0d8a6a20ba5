#include <algorithm>

#include "core/evaluation.h"
#include "live/compare_arms.h"
#include "live/experiment_state.h"
#include "prescope/summary.h"

namespace prescope {

namespace {

using TopicState = Ledger::TopicState;

std::optional<double> unit_quantile(const LatencySketch& sketch, double q, double nanoseconds) {
  const auto value = sketch.quantile(q);
  if (!value) return std::nullopt;
  return static_cast<double>(value->count()) / nanoseconds;
}

LatencySummary latency_summary(const LatencySketch& sketch) {
  constexpr double kMs = 1e6;
  LatencySummary summary{.count = sketch.count(),
                         .p50 = {.ms = unit_quantile(sketch, 0.50, kMs)},
                         .p90 = {.ms = unit_quantile(sketch, 0.90, kMs)},
                         .p95 = {.ms = unit_quantile(sketch, 0.95, kMs)},
                         .p99 = {.ms = unit_quantile(sketch, 0.99, kMs)}};
  if (const auto max = sketch.max()) summary.max_ms = static_cast<double>(max->count()) / kMs;
  return summary;
}

/// By the judgements that the table was resolved for, whose keys it numbers.
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

MeasureMean measure_mean(const Experiment::State& state, const Ledger::ArmState& arm,
                         std::size_t m) {
  const Ledger::MeasureState& sums = arm.measures[m];
  MeasureMean mean{.measure = state.scorer.measures()[m],
                   .topics = static_cast<std::uint32_t>(sums.values.n()),
                   .too_shallow = sums.too_shallow};
  std::uint64_t with_relevant = 0;
  for (const TopicQrels& topic : state.qrels().topics()) with_relevant += topic.num_rel() > 0;
  if (mean.topics > 0) mean.mean = mean_from_scale(mean.measure, sums.values.mean());
  if (with_relevant > 0) {
    const double missing = static_cast<double>(with_relevant - sums.values.n());
    const double sum = sums.values.sum() + missing * on_scale_of_mean(mean.measure, 0.0);
    mean.mean_over_all = mean_from_scale(mean.measure, sum / static_cast<double>(with_relevant));
  }
  return mean;
}

ArmSummary arm_summary(const Experiment::State& state, ArmIndex index) {
  const Ledger::ArmState& arm = state.ledger.arm(index);
  ArmSummary summary{.id = state.arms[index.value()],
                     .status = state.arms.status(index),
                     .judged_queries = arm.judged_queries,
                     .unjudged_queries = arm.unjudged_queries,
                     .retried_queries = arm.retried_queries,
                     .failed_queries = arm.failed_queries,
                     .timed_out_queries = arm.timed_out_queries,
                     .topics_seen = arm.topics_seen,
                     .topics_awaiting = arm.topics_awaiting,
                     .latency = latency_summary(arm.latency),
                     .self_p50_us = unit_quantile(arm.self_time, 0.50, 1e3),
                     .self_p99_us = unit_quantile(arm.self_time, 0.99, 1e3),
                     .duplicate_hits = arm.duplicate_hits};
  if (summary.status == ArmStatus::kRemoved) return summary;
  for (std::size_t m = 0; m < state.scorer.measures().size(); ++m) {
    summary.means.push_back(measure_mean(state, arm, m));
  }
  if (const auto& resolved = state.resolved[index.value()]) {
    summary.relevant_missing = relevant_missing(*resolved);
  }
  return summary;
}

TopicRow::Arm row_arm(const Experiment::State& state, std::size_t arm, std::size_t t) {
  const Ledger::ArmState& of = state.ledger.arm(ArmIndex(static_cast<std::uint32_t>(arm)));
  if (of.topics.empty()) return {};  // a removed arm
  const TopicState& topic = of.topics[t];
  TopicRow::Arm row{.seen = topic.was_seen(), .visits = topic.visits};
  if (!row.seen) return row;
  row.num_ret = topic.covered;
  row.exhausted = topic.exhausted;
  row.awaiting = topic.awaiting;
  if (const auto& resolved = state.resolved[arm]) {
    row.missing = resolved->topic(TopicIndex(static_cast<std::uint32_t>(t))).missing;
  }
  row.latency_ms = topic.last_latency_ms;
  const TopicQrels& judged = state.qrels().topics()[t];
  for (const JudgedHit& hit : topic.hits) {
    if (judged.is_relevant(hit.judgement)) row.relevant_ranks.push_back(hit.rank);
  }
  for (std::size_t m = 0; m < state.scorer.measures().size(); ++m) {
    const Ledger::Score& score = state.ledger.score(ArmIndex(static_cast<std::uint32_t>(arm)),
                                                    TopicIndex(static_cast<std::uint32_t>(t)), m);
    row.scores.push_back(score.visits > 0 ? std::optional(score.last) : std::nullopt);
    row.means.push_back(score.visits > 0 ? std::optional(score.mean) : std::nullopt);
  }
  return row;
}

void add_rows(const Experiment::State& state, Summary& summary) {
  for (std::size_t t = 0; t < state.qrels().topics().size(); ++t) {
    const TopicQrels& judged = state.qrels().topics()[t];
    TopicRow row{.id = judged.id(), .num_rel = judged.num_rel()};
    for (std::size_t a = 0; a < state.arms.size(); ++a) row.arms.push_back(row_arm(state, a, t));
    const bool seen = std::any_of(row.arms.begin(), row.arms.end(),
                                  [](const TopicRow::Arm& arm) { return arm.seen; });
    if (seen) summary.rows.push_back(std::move(row));
  }
}

Health health_of(const Experiment::State& state) {
  const QueryPathCounters& c = state.counters;
  return {.pushed = c.pushed,
          .recorded = state.recorded,
          .dropped_queue_full = c.dropped_queue_full,
          .queries_without_scope = c.queries_without_scope,
          .queries_without_ranking = c.queries_without_ranking,
          .unknown_arm = c.unknown_arm,
          .unmatched_rankings = c.unmatched_rankings,
          .page_gaps = state.ledger.page_gaps(),
          .adapter_failures = c.adapter_failures,
          .listener_failures = state.listener_failures,
          .recorder_failures = state.recorder_failures,
          .publish_failures = state.publish_failures,
          .sampled_out = c.sampled_out,
          .inactive_arm = c.inactive_arm,
          .late_observations = state.late_observations + state.ledger.late_observations(),
          .clock_steps = state.ledger.clock_steps()};
}

}  // namespace

Summary summarize(const Experiment::State& state, SummaryDetail detail) {
  Summary summary{.experiment = state.options.name,
                  .mode = state.options.mode,
                  .detail = detail,
                  .epoch = state.ledger.epoch(),
                  .past_epochs = {state.past_epochs.begin(), state.past_epochs.end()},
                  .topics = static_cast<std::uint32_t>(state.qrels().topics().size()),
                  .judgements = state.qrels().num_judgements(),
                  .judgements_repeated = state.qrels().repeated(),
                  .judgements_merged = state.qrels().merged(),
                  .measures = {state.scorer.measures().begin(), state.scorer.measures().end()},
                  .health = health_of(state)};
  for (const TopicQrels& topic : state.qrels().topics()) {
    summary.topics_without_relevant += topic.num_rel() == 0 ? 1U : 0U;
  }
  for (std::uint32_t a = 0; a < state.arms.size(); ++a) {
    summary.arms.push_back(arm_summary(state, ArmIndex(a)));
    if (a > 0 && state.arms.status(ArmIndex(a)) != ArmStatus::kRemoved)
      summary.pairs.push_back(compare_arms(state, ArmIndex(0), ArmIndex(a)));
  }
  if (detail == SummaryDetail::kEveryTopic) add_rows(state, summary);
  return summary;
}

}  // namespace prescope
