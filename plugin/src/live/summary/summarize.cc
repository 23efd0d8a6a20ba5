#include "live/summary/summarize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "live/experiment_state.h"
#include "measures/citation_changes.h"
#include "runs/evaluation.h"
#include "statistics/latency_sketch.h"
#include "statistics/paired_tests.h"

namespace prescope {

std::string_view to_string(EpochReason reason) noexcept {
  switch (reason) {
    case EpochReason::kStart:
      return "start";
    case EpochReason::kGeneration:
      return "generation";
    case EpochReason::kArms:
      return "arms";
    case EpochReason::kJudgements:
      return "judgements";
  }
  return "";
}

namespace {

ArmIndex arm_index(std::size_t arm) { return ArmIndex(static_cast<std::uint32_t>(arm)); }
TopicIndex topic_index(std::size_t topic) { return TopicIndex(static_cast<std::uint32_t>(topic)); }

void add_rows(const Ledger& ledger, std::span<const ArmFacts> arms, Summary& summary) {
  const std::span<const TopicQrels> topics = ledger.qrels().topics();
  for (std::size_t t = 0; t < topics.size(); ++t) {
    TopicRow row = topic_row(ledger, arms, topic_index(t));
    const bool seen =
        std::ranges::any_of(row.arms, [](const TopicRow::Arm& arm) { return arm.seen; });
    if (seen) summary.rows.push_back(std::move(row));
  }
}

void add_pairs(const Ledger& ledger, double alpha, SummaryDetail detail, Summary& summary) {
  const AlphaShares shares = AlphaShares::of(ledger, alpha);
  for (const ArmIndex b : arms_compared(ledger)) {
    ArmPair pair = compare_arms(ledger, b, shares);
    if (detail == SummaryDetail::kEveryTopic) pair.moves = topic_moves(ledger, b);
    summary.pairs.push_back(std::move(pair));
  }
}

Health with_ledgers(Health health, const Ledger& ledger) {
  health.page_gaps += ledger.page_gaps();
  health.late_observations += ledger.late_observations();
  health.clock_steps += ledger.clock_steps();
  return health;
}

}  // namespace

Summary summarize(const Ledger& ledger, SummaryFacts facts, SummaryDetail detail) {
  const Qrels& qrels = ledger.qrels();
  const std::span<const Measure> measures = ledger.scorer().measures();
  Summary summary{.experiment = std::string(facts.experiment),
                  .mode = ledger.options().mode,
                  .detail = detail,
                  .epoch = ledger.epoch(),
                  .past_epochs = std::move(facts.past_epochs),
                  .topics = static_cast<std::uint32_t>(qrels.topics().size()),
                  .judgements = qrels.num_judgements(),
                  .judgements_repeated = qrels.repeated(),
                  .judgements_merged = qrels.merged(),
                  .measures = {measures.begin(), measures.end()},
                  .health = with_ledgers(facts.health, ledger)};
  const auto with_relevant = static_cast<std::uint32_t>(std::ranges::count_if(
      qrels.topics(), [](const TopicQrels& topic) { return topic.num_rel() > 0; }));
  summary.topics_without_relevant = summary.topics - with_relevant;
  for (std::size_t a = 0; a < facts.arms.size(); ++a) {
    summary.arms.push_back(summarize_arm(ledger, arm_index(a), facts.arms[a], with_relevant));
  }
  add_pairs(ledger, facts.alpha, detail, summary);
  if (detail == SummaryDetail::kEveryTopic) add_rows(ledger, facts.arms, summary);
  return summary;
}

PastEpoch past_epoch(const Ledger& ledger, double alpha) {
  PastEpoch past{.epoch = ledger.epoch()};
  const AlphaShares shares = AlphaShares::of(ledger, alpha);
  for (const ArmIndex b : arms_compared(ledger)) {
    for (const MeanDifference& difference : measure_differences(ledger, b, shares)) {
      past.differences.push_back({difference, b});
    }
  }
  return past;
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
  MeasureMean mean{{}, measure};
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

namespace {

std::vector<ArmFacts> facts_of_arms(const Experiment::State& state) {
  std::vector<ArmFacts> facts;
  for (std::size_t a = 0; a < state.arms.size(); ++a) {
    const ArmIndex arm(static_cast<std::uint32_t>(a));
    facts.push_back({.id = state.arms[a],
                     .status = state.arms.status(arm),
                     .resolved = state.resolved[a].get()});
  }
  return facts;
}

Health health_of(const Experiment::State& state) {
  const QueryPathCounters& c = state.counters;
  Health health{.pushed = c.pushed + state.collected,
                .recorded = state.recorded,
                .dropped_queue_full = c.dropped_queue_full,
                .queries_without_scope = c.queries_without_scope,
                .queries_without_ranking = c.queries_without_ranking,
                .unknown_arm = c.unknown_arm,
                .unmatched_rankings = c.unmatched_rankings,
                .adapter_failures = c.adapter_failures,
                .listener_failures = state.listener_failures,
                .recorder_failures = state.recorder_failures,
                .log_failures = state.log_failures,
                .publish_failures = state.publish_failures,
                .sampled_out = c.sampled_out,
                .inactive_arm = c.inactive_arm,
                .late_observations = state.late_observations};
  state.count_shadows(health);
  state.count_logs(health);
  return health;
}

}  // namespace

Summary summarize(const Experiment::State& state, SummaryDetail detail) {
  const std::vector<ArmFacts> arms = facts_of_arms(state);
  return summarize(state.ledger,
                   {.experiment = state.options.name,
                    .alpha = state.options.alpha,
                    .arms = arms,
                    .past_epochs = {state.past_epochs.begin(), state.past_epochs.end()},
                    .health = health_of(state)},
                   detail);
}

std::shared_ptr<const Summary> Experiment::summary(SummaryDetail detail) {
  state_->flush();
  const auto lock = state_->locked_ledger();
  return std::make_shared<const Summary>(summarize(*state_, detail));
}

std::optional<TopicDetail> Experiment::topic(const TopicId& id) {
  state_->flush();
  const auto lock = state_->locked_ledger();
  return topic_detail(state_->ledger, facts_of_arms(*state_), id);
}

namespace {

void add_scores(const Ledger& ledger, ArmIndex arm, TopicIndex topic, TopicRow::Arm& row) {
  const Ledger::TopicState& state = ledger.arm(arm).topics[topic.value()];
  const std::span<const Measure> measures = ledger.scorer().measures();
  row.scores.reserve(measures.size());
  row.means.reserve(measures.size());
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const Ledger::Score& score = ledger.score(arm, topic, m);
    const std::optional<Cutoff> cutoff = measures[m].cutoff();
    const bool is_known = score.visits > 0 && (!cutoff || state.reaches(*cutoff));
    row.scores.push_back(is_known ? std::optional(score.last) : std::nullopt);
    row.means.push_back(score.visits > 0 ? std::optional(score.mean) : std::nullopt);
  }
}

TopicRow::Arm row_of_arm(const Ledger& ledger, const ArmFacts& facts, ArmIndex arm,
                         TopicIndex topic) {
  if (ledger.arm(arm).is_removed()) return {};
  const Ledger::TopicState& state = ledger.arm(arm).topics[topic.value()];
  TopicRow::Arm row{.seen = state.seen, .visits = state.visits};
  if (!row.seen) return row;
  row.num_ret = state.ranking.num_ret;
  row.exhausted = state.exhausted;
  row.awaiting = state.awaiting;
  if (facts.resolved != nullptr) row.missing = facts.resolved->topic(topic).missing;
  row.latency_ms = state.last_latency_ms;
  const TopicQrels& judged = ledger.qrels().topic(topic);
  row.relevant_ranks.reserve(state.ranking.hits.size());
  for (const JudgedHit& hit : state.ranking.hits) {
    if (judged.is_relevant(hit.judgement)) row.relevant_ranks.push_back(hit.rank);
  }
  add_scores(ledger, arm, topic, row);
  return row;
}

}  // namespace

TopicRow topic_row(const Ledger& ledger, std::span<const ArmFacts> arms, TopicIndex topic) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  TopicRow row{.id = judged.id(), .num_rel = judged.num_rel()};
  row.arms.reserve(arms.size());
  for (std::uint32_t a = 0; a < arms.size(); ++a) {
    row.arms.push_back(row_of_arm(ledger, arms[a], ArmIndex(a), topic));
  }
  return row;
}

namespace {

using TopicState = Ledger::TopicState;

constexpr ArmIndex kMovedFrom{0};

std::vector<CitationMove> citation_moves(const TopicQrels& judged, const TopicState& a,
                                         const TopicState& b, const CitationCredits& credits) {
  const auto whole = static_cast<double>(credits.whole(judged.num_rel()));
  std::vector<CitationMove> moves;
  for (const CitationChange& change :
       citation_changes(judged, a.ranking.hits, b.ranking.hits, credits)) {
    if (change.credit == 0) continue;
    const Judgement& judgement = judged.judgements()[change.judgement.value()];
    moves.push_back({.docno = judgement.docno,
                     .grade = judgement.grade,
                     .rank_a = change.rank_a,
                     .rank_b = change.rank_b,
                     .share = static_cast<double>(change.credit) / whole});
  }
  return moves;
}

std::optional<TopicMove> topic_move(const Ledger& ledger, ArmIndex b, TopicIndex topic,
                                    std::size_t m) {
  const std::optional<double> in_a = last_score(ledger, kMovedFrom, topic, m);
  const std::optional<double> in_b = last_score(ledger, b, topic, m);
  if (!in_a || !in_b) return std::nullopt;
  const double difference = clean_difference(*in_b, *in_a);
  if (difference == 0.0) return std::nullopt;
  const Measure& measure = ledger.scorer().measures()[m];
  const TopicQrels& judged = ledger.qrels().topic(topic);
  return TopicMove{
      {judged.id(), *in_a, *in_b, difference},
      measure,
      judged.num_rel(),
      citation_moves(judged, ledger.arm(kMovedFrom).topics[topic.value()],
                     ledger.arm(b).topics[topic.value()], CitationCredits::of(measure).value())};
}

}  // namespace

std::vector<TopicMove> topic_moves(const Ledger& ledger, ArmIndex b) {
  std::vector<TopicMove> moves;
  const std::optional<std::size_t> m = moving_measure(ledger.scorer().measures());
  if (!m || ledger.options().mode == Mode::kSplit) return moves;
  for (std::uint32_t t = 0; t < ledger.qrels().topics().size(); ++t) {
    if (auto move = topic_move(ledger, b, TopicIndex(t), *m)) moves.push_back(std::move(*move));
  }
  std::ranges::stable_sort(moves, [](const TopicMove& x, const TopicMove& y) {
    return std::abs(x.difference) > std::abs(y.difference);
  });
  return moves;
}

}  // namespace prescope
