#include "live/summary/summarize.h"

#include <algorithm>

#include "facts/health_counters.h"
#include "runs/evaluation.h"
#include "statistics/latency_sketch.h"
#include "statistics/paired_tests.h"

namespace prescope {

std::string_view to_string(EpochReason reason) noexcept {
  static constexpr std::string_view kWords[] = {"start", "generation", "arms", "judgements"};
  return kWords[static_cast<std::size_t>(reason)];
}

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

LatencyQuantile quantile_with_interval(const Ledger::ArmState::Latency& latency, double q) {
  if (latency.all.count() == 0) return {};
  LatencyQuantile quantile{.ms = in_unit(latency.all.quantile(q), kNsPerMs)};
  if (const auto interval = latency.blocks.interval(q)) {
    quantile.low_ms = in_unit(interval->low, kNsPerMs);
    quantile.high_ms = in_unit(interval->high, kNsPerMs);
  }
  return quantile;
}

LatencySummary latency_summary(const Ledger::ArmState::Latency& latency) {
  const LatencySketch& sketch = latency.all;
  return {.count = sketch.count(),
          .p50 = quantile_with_interval(latency, 0.50),
          .p90 = quantile_with_interval(latency, 0.90),
          .p95 = quantile_with_interval(latency, 0.95),
          .p99 = quantile_with_interval(latency, 0.99),
          .max_ms = in_unit(sketch.max(), kNsPerMs),
          .sum_ms = sketch.sum_ms(),
          .buckets = sketch.buckets()};
}

std::vector<MeasureMean> means_of(const Ledger& ledger, const Ledger::Track& track,
                                  std::uint32_t with_relevant) {
  std::vector<MeasureMean> means;
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    MeasureMean& mean = means.emplace_back(MeasureMean{{}, ledger.scorer().measures()[m]});
    if (track.totals.empty()) continue;  // of a removed arm
    const ScoreTotals& totals = track.totals[m];
    mean = totals.means(with_relevant);
    if (mean.drift.largest > 0.0) {
      mean.drift.topic = ledger.qrels().topic(totals.most_changed()).id();
    }
  }
  return means;
}

std::vector<StageSummary> stages_of(const StageCoverage& stages, std::span<const std::string> own) {
  std::vector<StageSummary> summaries;
  for (std::size_t number = 0; number < kMostStages; ++number) {
    const StageCoverage::Totals& totals = stages.totals(Stage(number));
    if (totals.topics == 0) continue;
    summaries.push_back({.name = std::string(stage_name(Stage(number), own)),
                         .topics = totals.topics,
                         .relevant = totals.relevant,
                         .found = totals.found,
                         .kept = totals.kept,
                         .served = totals.served});
  }
  return summaries;
}

ArmSummary summarize_arm(const Ledger& ledger, ArmIndex index, const SummaryFacts& of_all,
                         std::uint32_t with_relevant) {
  const ArmFacts& facts = of_all.arms[index.value()];
  const Ledger::ArmState& arm = ledger.arm(index);
  const Ledger::Track& track = ledger.track(index);
  ArmSummary summary{
      .id = facts.id,
      .status = facts.status,
      .judged_queries = arm.judged_queries,
      .unjudged_queries = arm.unjudged_queries,
      .retried_queries = arm.retried_queries,
      .failed_queries = arm.failed_queries,
      .timed_out_queries = arm.timed_out_queries,
      .unseen_visits = arm.unseen_visits,
      .sorted_queries = arm.sorted_queries,
      .filtered_queries = arm.filtered_queries,
      .collapsed_queries = arm.collapsed_queries,
      .partial_queries = arm.partial_queries,
      .replaced_rankings = arm.replaced_rankings,
      .topics_seen = track.topics_seen,
      .topics_awaiting = track.topics_awaiting,
      .means = means_of(ledger, track, with_relevant),
      .stages = stages_of(arm.stages, of_all.stages),
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
  if (ledger.options().mode == Mode::kPaired) {
    summary.served_means = means_of(ledger, arm.served, with_relevant);
  }
  summary.relevant_missing = facts.relevant_missing;
  if (facts.resolved != nullptr) summary.generation = facts.resolved->generation();
  summary.missing_series.assign(facts.missing_series.begin(), facts.missing_series.end());
  return summary;
}

TopicRow::Arm row_of_arm(const Ledger& ledger, const ArmFacts& facts, ArmIndex arm,
                         TopicIndex topic) {
  if (ledger.arm(arm).is_removed()) return {};
  const Ledger::TopicState& state = ledger.track(arm).topics[topic.value()];
  TopicRow::Arm row{.seen = state.seen(), .visits = state.visits};
  if (!row.seen) return row;
  const JudgedRanking& ranking = state.last.ranking;
  row.num_ret = ranking.num_ret;
  row.exhausted = state.last.exhausted;
  row.awaiting = state.last.awaiting;
  if (facts.resolved != nullptr) row.missing = facts.resolved->topic(topic).missing;
  row.latency_ms = state.last_latency_ms;
  const TopicQrels& judged = ledger.qrels().topic(topic);
  row.relevant_ranks.reserve(ranking.hits.size());
  for (const JudgedHit& hit : ranking.hits) {
    if (judged.is_relevant(hit.judgement)) row.relevant_ranks.push_back(hit.rank);
  }
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    row.scores.push_back(last_score(ledger, arm, topic, m));
    row.means.push_back(ledger.score(arm, topic, m).value());
  }
  return row;
}

}  // namespace

void count_progress(const LogProgress& progress, Health& health) noexcept {
  health.log_queue_full += progress.dropped_queue_full;
  health.log_write_failures += progress.dropped_write_failures;
  health.log_lost_with_file += progress.lost_with_file;
  health.log_waiting += progress.waiting;
  health.logs_failing += progress.is_failing ? 1U : 0U;
}

Summary summarize(Ledger& ledger, const SummaryFacts& facts, SummaryDetail detail) {
  ledger.settle();
  const Qrels& qrels = ledger.qrels();
  const Ledger::TopicCounts counts = ledger.topic_counts();
  const std::span<const Measure> measures = ledger.scorer().measures();
  Summary summary{.experiment = facts.experiment,
                  .mode = ledger.options().mode,
                  .detail = detail,
                  .salt = facts.salt,
                  .has_baseline = !ledger.options().baseline.empty(),
                  .collapses = ledger.options().collapses,
                  .rule = facts.rule,
                  .epoch = ledger.epoch(),
                  .past_epochs = facts.past_epochs,
                  .topics = counts.topics,
                  .judgements = counts.judgements,
                  .judgements_repeated = qrels.repeated(),
                  .judgements_merged = qrels.merged(),
                  .measures = {measures.begin(), measures.end()},
                  .primary = ledger.options().primary,
                  .pairs = compare_arms(ledger, facts, detail),
                  .slice_topics_unjudged = ledger.options().slices.unjudged().topics,
                  .slice_topic_unjudged = ledger.options().slices.unjudged().example,
                  .health = facts.health};
  for (const HealthCounter& one : health_counters()) {
    summary.health.*one.member += ledger.counts().*one.member;
  }
  summary.topics_without_relevant = counts.topics - counts.with_relevant;
  if (qrels.has_family_map()) summary.families = counts.families;
  for (std::uint32_t a = 0; a < facts.arms.size(); ++a) {
    summary.arms.push_back(summarize_arm(ledger, ArmIndex(a), facts, counts.with_relevant));
  }
  if (detail == SummaryDetail::kVerdicts) return summary;
  ledger.for_each_topic([&](TopicIndex topic) {
    TopicRow row = topic_row(ledger, facts.arms, topic);
    if (std::ranges::any_of(row.arms, &TopicRow::Arm::seen)) summary.rows.push_back(std::move(row));
  });
  return summary;
}

Health raised_to(const Health& stored, Health own, const Ledger& ledger) noexcept {
  for (const HealthCounter& one : health_counters()) {
    const std::uint64_t of_ledger = ledger.counts().*one.member;
    const std::uint64_t others = std::max(stored.*one.member, of_ledger) - of_ledger;
    own.*one.member = std::max(own.*one.member, others);
  }
  return own;
}

TopicRow topic_row(const Ledger& ledger, std::span<const ArmFacts> arms, TopicIndex topic) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  TopicRow row{.id = judged.id(), .num_rel = judged.num_rel()};
  row.arms.reserve(arms.size());
  for (std::uint32_t a = 0; a < arms.size(); ++a) {
    row.arms.push_back(row_of_arm(ledger, arms[a], ArmIndex(a), topic));
  }
  return row;
}

}  // namespace prescope
