#include "live/ledger/ledger.h"

#include <algorithm>
#include <cmath>

#include "runs/evaluation.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

using PairState = Ledger::PairState;
using TopicState = Ledger::TopicState;
using ArmState = Ledger::ArmState;

std::uint32_t& count_of(PairState::Measure& measure, double difference) noexcept {
  if (difference > 0.0) return measure.wins;
  return difference < 0.0 ? measure.losses : measure.ties;
}

void revise(PairState::Measure& measure, std::optional<double> before,
            std::optional<double> now) noexcept {
  if (!now) return;
  ++count_of(measure, *now);
  if (!before) return measure.differences.add(*now);
  --count_of(measure, *before);
  if (*before != *now) measure.differences.replace(*before, *now);
}

std::optional<double> mean_log_latency(const TopicState& topic) noexcept {
  if (topic.timed_visits == 0) return std::nullopt;
  return topic.sum_log_latency / static_cast<double>(topic.timed_visits);
}

std::optional<double> log_ratio(std::optional<double> a, std::optional<double> b) noexcept {
  return a && b ? std::optional(*b - *a) : std::nullopt;
}

void revise(TopicSums& sums, std::optional<double> before, std::optional<double> now) noexcept {
  if (!now) return;
  before ? sums.replace(*before, *now) : sums.add(*now);
}

/// Keeps their room.
void forget_topics(ArmState& arm) noexcept {
  for (TopicState& topic : arm.topics) {
    TopicState fresh;
    fresh.ranking.hits = std::move(topic.ranking.hits);
    fresh.ranking.hits.clear();
    fresh.captured = std::move(topic.captured);
    if (fresh.captured) {
      fresh.captured->docids.clear();
      fresh.captured->keys.clear();
      fresh.captured->unlocated.clear();
    }
    topic = std::move(fresh);
  }
  std::ranges::fill(arm.scores, Ledger::Score{});
}

}  // namespace

SplitExpectation::SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                                   std::span<const BaselineScore> baseline)
    : means_(scorer.measures().size()), topics_(qrels.topics().size() * means_.size()) {
  for (const BaselineScore& score : baseline) {
    const std::optional<TopicIndex> topic = qrels.find(score.topic.text());
    const auto measure = std::ranges::find(scorer.measures(), Measure::parse(score.measure));
    if (!topic || measure == scorer.measures().end()) continue;
    const auto m = static_cast<std::size_t>(measure - scorer.measures().begin());
    topics_[topic->value() * means_.size() + m].baseline = score.score;
  }
}

void SplitExpectation::fix(TopicIndex topic) noexcept {
  for (std::size_t m = 0; m < means_.size(); ++m) {
    One& one = topics_[topic.value() * means_.size() + m];
    if (one.expected) return;
    const RunningMean& mean = means_[m];
    const double so_far = mean.n == 0 ? 0.5 : mean.sum.value() / static_cast<double>(mean.n);
    one.expected = one.baseline.value_or(so_far);
  }
}

void SplitExpectation::saw(TopicIndex topic, std::size_t measure, double value) noexcept {
  if (std::exchange(topics_[topic.value() * means_.size() + measure].has_value, true)) return;
  means_[measure].sum.add(value);
  ++means_[measure].n;
}

void SplitExpectation::begin_epoch() noexcept {
  std::ranges::fill(means_, RunningMean{});
  for (One& one : topics_) one = {.baseline = one.baseline};
}

Ledger::Ledger(const JudgedDocnos& judged, const Scorer& scorer, std::size_t num_arms,
               LedgerOptions options)
    : options_(std::move(options)),
      versions_{&judged},
      scorer_(&scorer),
      num_measures_(scorer.measures().size()),
      values_(scorer.measures().size()) {
  for (const Measure& measure : scorer.measures()) {
    cutoffs_.push_back(measure.cutoff().value_or(Cutoff(0)).value());
  }
  if (options_.mode == Mode::kSplit) {
    expectation_.emplace(judged.qrels(), scorer, options_.baseline);
  }
  ranks_.reserve(judged.qrels());
  moves_.reserve(kMoves);
  while (arms_.size() < num_arms) push_arm();
}

void Ledger::add_topics(ArmState& arm) const {
  const std::size_t topics = qrels().topics().size();
  arm.topics.resize(topics);
  arm.scores.resize(topics * num_measures_);
  arm.measures.resize(num_measures_);
}

void Ledger::push_arm() {
  ArmState arm;
  add_topics(arm);
  arms_.reserve(arms_.size() + 1);
  if (!arms_.empty()) {
    pairs_.push_back({.b = ArmIndex(static_cast<std::uint32_t>(arms_.size())),
                      .measures = std::vector<PairState::Measure>(num_measures_)});
  }
  arms_.push_back(std::move(arm));
}

void Ledger::record(const Observation& observation) {
  ArmState& arm = arms_[observation.arm.value()];
  const bool scored = observation.topic != kUnjudgedTopic && has_ranking(observation);
  if (arm.is_removed()) {
    late_observations_ += scored ? 1U : 0U;
    return;
  }
  const bool late = is_late(arm, observation.generation);
  if (scored) {
    if (!late && take(observation)) {
      add_topic_latency(observation);
    } else {
      ++late_observations_;
    }
  }
  count(arm, observation);
  ++epoch_.observations;
}

void Ledger::count(ArmState& arm, const Observation& observation) noexcept {
  if (!has_ranking(observation)) {
    const bool timed_out = has(observation.flags, RankingFlags::kTimedOut);
    ++(timed_out ? arm.timed_out_queries : arm.failed_queries);
    const bool shadow = has(observation.flags, RankingFlags::kShadow);
    (shadow ? arm.shadow_latency : arm.latency).add_failure();
    return;
  }
  const bool judged = observation.topic != kUnjudgedTopic;
  const bool retried = has(observation.flags, RankingFlags::kRetried);
  ++(judged ? arm.judged_queries : arm.unjudged_queries);
  arm.retried_queries += retried ? 1U : 0U;
  arm.duplicate_hits += observation.duplicates;
  if (!retried) (judged ? arm.self_time : arm.unjudged_self_time).add(observation.self_time);
  if (is_timed(observation)) {
    const bool shadow = has(observation.flags, RankingFlags::kShadow);
    (shadow ? arm.shadow_latency : arm.latency).add(observation.latency);
  }
  clock_steps_ += observation.latency.count() < 0 ? 1U : 0U;
}

void Ledger::add_topic_latency(const Observation& observation) noexcept {
  if (!is_timed(observation)) return;
  const double ms =
      std::max(std::chrono::duration<double, std::milli>(observation.latency).count(), 1e-6);
  ArmState& arm = arms_[observation.arm.value()];
  arm.topics[observation.topic.value()].last_latency_ms = ms;
  const bool shadow = has(observation.flags, RankingFlags::kShadow);
  // What users wait for and what runs in the background are not comparable.
  const bool by_shadows = options_.mode == Mode::kPaired;
  if (shadow != by_shadows) return;
  if (by_shadows && options_.shadow_latency == ShadowOptions::Latency::kNotCompared) return;
  add_latency(observation.arm, observation.topic, std::log(ms));
}

bool Ledger::is_late(ArmState& arm, std::uint64_t generation) {
  if (options_.epochs == EpochRule::kConfiguration || generation == 0) return false;
  if (arm.generation == 0) arm.generation = moved_on(generation);
  if (generation > arm.generation) move_on(arm.generation, generation);
  return generation < arm.generation;
}

/// What an index of this generation has become, as far as arms that share it have told.
std::uint64_t Ledger::moved_on(std::uint64_t generation) const noexcept {
  for (const Move& move : moves_) {
    if (move.from == generation) generation = move.to;
  }
  return generation;
}

void Ledger::move_on(std::uint64_t from, std::uint64_t to) {
  begin_epoch(EpochReason::kGeneration);
  for (ArmState& arm : arms_) {
    if (arm.generation == from) arm.generation = to;
  }
  if (moves_.size() == kMoves) moves_.erase(moves_.begin());
  moves_.push_back({from, to});
}

void Ledger::next_epoch(EpochReason reason) {
  if (on_epoch_end) on_epoch_end(*this);
  epoch_ = {.number = epoch_.number + 1, .reason = reason};
}

void Ledger::begin_epoch(EpochReason reason) {
  next_epoch(reason);
  for (ArmState& arm : arms_) forget_topics(arm);
  if (expectation_) expectation_->begin_epoch();
  sum_up();
}

void Ledger::add_arm() {
  push_arm();
  begin_epoch(EpochReason::kArms);
}

void Ledger::remove_arm(ArmIndex arm) {
  ArmState removed;
  removed.measures.resize(num_measures_);
  begin_epoch(EpochReason::kArms);
  arms_[arm.value()] = std::move(removed);
}

void Ledger::restore_arm(ArmIndex arm) {
  ArmState fresh;
  add_topics(fresh);
  arms_[arm.value()] = std::move(fresh);
  begin_epoch(EpochReason::kArms);
}

// Sums over topics: kept up to date by delta, or made anew from the topics.

bool Ledger::is_reached(const TopicState& state, std::size_t measure) const noexcept {
  const std::uint32_t cutoff = cutoffs_[measure];
  return cutoff == 0 ? !state.awaiting : state.reaches(Cutoff(cutoff));
}

/// Taken out before a topic changes, a topic is counted again as it is after.
void Ledger::count_topic(ArmIndex arm, TopicIndex topic, Counting counting) noexcept {
  ArmState& state = arms_[arm.value()];
  const TopicState& one = state.topics[topic.value()];
  if (!one.seen) return;
  const auto step = static_cast<std::uint32_t>(counting);  // modulo 2^32
  state.topics_seen += step;
  if (one.awaiting) {
    state.topics_awaiting += step;
    return;
  }
  for (std::size_t m = 0; m < num_measures_; ++m) {
    const bool has_value = score(arm, topic, m).visits > 0;
    if (!has_value && !is_reached(one, m)) state.measures[m].too_shallow += step;
  }
}

void Ledger::set_score(ArmIndex arm, TopicIndex topic, std::size_t m, const Score& now) noexcept {
  Score& score = arms_[arm.value()].scores[first_score(topic) + m];
  const Score before = std::exchange(score, now);
  if (expectation_ && before.visits == 0) expectation_->saw(topic, m, now.mean);
  if (before.visits > 0 && before.mean == now.mean) return;
  sum_value(arm, m, before, now);
  for (PairState& pair : pairs_) {
    if (!concerns(pair, arm)) continue;
    const bool is_a = arm.value() == 0;
    const Score& other = this->score(is_a ? pair.b : ArmIndex(0), topic, m);
    const auto difference = [&](const Score& mine) {
      return is_a ? difference_of(topic, m, mine, other) : difference_of(topic, m, other, mine);
    };
    revise(pair.measures[m], difference(before), difference(now));
  }
}

void Ledger::sum_value(ArmIndex arm, std::size_t m, const Score& before,
                       const Score& now) noexcept {
  const Measure& measure = scorer_->measures()[m];
  TopicSums& values = arms_[arm.value()].measures[m].values;
  const double value = on_scale_of_mean(measure, now.mean);
  if (before.visits == 0) {
    values.add(value);
  } else {
    values.replace(on_scale_of_mean(measure, before.mean), value);
  }
}

void Ledger::add_latency(ArmIndex arm, TopicIndex topic, double log_latency) noexcept {
  TopicState& state = arms_[arm.value()].topics[topic.value()];
  const std::optional<double> before = mean_log_latency(state);
  state.sum_log_latency += log_latency;
  ++state.timed_visits;
  if (options_.mode == Mode::kSplit) return;
  const std::optional<double> now = mean_log_latency(state);
  for (PairState& pair : pairs_) {
    if (!concerns(pair, arm)) continue;
    const bool is_a = arm.value() == 0;
    const auto other = mean_log_latency(arms_[is_a ? pair.b.value() : 0U].topics[topic.value()]);
    revise(pair.log_latency, is_a ? log_ratio(before, other) : log_ratio(other, before),
           is_a ? log_ratio(now, other) : log_ratio(other, now));
  }
}

bool Ledger::concerns(const PairState& pair, ArmIndex arm) const noexcept {
  return (arm.value() == 0 || arm == pair.b) && !arms_[pair.b.value()].is_removed();
}

std::optional<double> Ledger::difference_of(TopicIndex topic, std::size_t m, const Score& a,
                                            const Score& b) const noexcept {
  if (a.visits > 0 && b.visits > 0) {
    return clean_difference(b.mean, a.mean) / (expectation_ ? 2.0 : 1.0);
  }
  if (!expectation_ || (a.visits == 0 && b.visits == 0)) return std::nullopt;
  const double expected = expectation_->of(topic, m).value();
  return b.visits > 0 ? clean_difference(b.mean, expected) : clean_difference(expected, a.mean);
}

std::optional<double> Ledger::difference(ArmIndex b, TopicIndex topic,
                                         std::size_t measure) const noexcept {
  return difference_of(topic, measure, score(ArmIndex(0), topic, measure),
                       score(b, topic, measure));
}

std::optional<double> Ledger::log_latency_ratio(ArmIndex b, TopicIndex topic) const noexcept {
  return log_ratio(mean_log_latency(arms_[0].topics[topic.value()]),
                   mean_log_latency(arms_[b.value()].topics[topic.value()]));
}

std::optional<double> Ledger::expected(TopicIndex topic, std::size_t measure) const noexcept {
  return expectation_ ? expectation_->of(topic, measure) : std::nullopt;
}

void Ledger::sum_up() noexcept {
  for (ArmIndex arm{0}; arm.value() < arms_.size(); arm = ArmIndex(arm.value() + 1)) {
    ArmState& state = arms_[arm.value()];
    std::ranges::fill(state.measures, MeasureState{});
    state.topics_seen = state.topics_awaiting = 0;
    for (std::uint32_t t = 0; t < state.topics.size(); ++t) {
      count_topic(arm, TopicIndex(t), Counting::kIn);
      for (std::size_t m = 0; m < num_measures_; ++m) {
        const Score& score = this->score(arm, TopicIndex(t), m);
        if (score.visits > 0) sum_value(arm, m, Score{}, score);
      }
    }
  }
  for (PairState& pair : pairs_) sum_up_pair(pair);
}

void Ledger::sum_up_pair(PairState& pair) noexcept {
  const ArmState& b = arms_[pair.b.value()];
  std::ranges::fill(pair.measures, PairState::Measure{});
  pair.log_latency = TopicSums();
  for (std::uint32_t t = 0; t < b.topics.size(); ++t) {
    for (std::size_t m = 0; m < num_measures_; ++m) {
      revise(pair.measures[m], std::nullopt, difference(pair.b, TopicIndex(t), m));
    }
    if (options_.mode == Mode::kSplit) continue;
    revise(pair.log_latency, std::nullopt, log_latency_ratio(pair.b, TopicIndex(t)));
  }
}

}  // namespace prescope
