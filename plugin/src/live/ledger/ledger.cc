#include "live/ledger/ledger.h"

#include <algorithm>
#include <cmath>

#include "runs/evaluation.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

using TopicState = Ledger::TopicState;
using ArmState = Ledger::ArmState;

std::optional<double> mean_log_latency(const TopicState& topic) noexcept {
  if (topic.timed_visits == 0) return std::nullopt;
  return topic.sum_log_latency / static_cast<double>(topic.timed_visits);
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
}

void Ledger::push_arm() {
  ArmState arm;
  add_topics(arm);
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
  TopicState& topic = arms_[observation.arm.value()].topics[observation.topic.value()];
  topic.last_latency_ms = ms;
  const bool shadow = has(observation.flags, RankingFlags::kShadow);
  // Searches that users wait for and searches in the background are not comparable.
  const bool by_shadows = options_.mode == Mode::kPaired;
  if (shadow != by_shadows) return;
  if (by_shadows && options_.shadow_latency == ShadowOptions::Latency::kNotCompared) return;
  topic.sum_log_latency += std::log(ms);
  ++topic.timed_visits;
}

bool Ledger::is_late(ArmState& arm, std::uint64_t generation) {
  if (options_.epochs == EpochRule::kConfiguration || generation == 0) return false;
  if (arm.generation == 0) arm.generation = moved_on(generation);
  if (generation > arm.generation) move_on(arm.generation, generation);
  return generation < arm.generation;
}

/// Returns the newest known generation of the index that had this one, as its arms reported it.
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
  for (ArmState& arm : arms_) {
    for (TopicState& topic : arm.topics) {
      TopicState fresh;
      fresh.ranking.hits.swap(topic.ranking.hits);  // their memory is used again
      fresh.ranking.hits.clear();
      topic = std::move(fresh);
    }
    std::ranges::fill(arm.scores, Score{});
  }
  if (expectation_) expectation_->begin_epoch();
}

void Ledger::add_arm() {
  push_arm();
  begin_epoch(EpochReason::kArms);
}

void Ledger::remove_arm(ArmIndex arm) {
  begin_epoch(EpochReason::kArms);
  arms_[arm.value()] = ArmState();
}

void Ledger::restore_arm(ArmIndex arm) {
  ArmState fresh;
  add_topics(fresh);
  arms_[arm.value()] = std::move(fresh);
  begin_epoch(EpochReason::kArms);
}

bool Ledger::is_reached(const TopicState& state, std::size_t measure) const noexcept {
  const std::optional<Cutoff> cutoff = scorer_->measures()[measure].cutoff();
  return cutoff ? state.reaches(*cutoff) : !state.awaiting;
}

std::optional<double> Ledger::difference(ArmIndex b, TopicIndex topic,
                                         std::size_t measure) const noexcept {
  const Score &in_a = score(ArmIndex(0), topic, measure), &in_b = score(b, topic, measure);
  if (in_a.visits > 0 && in_b.visits > 0) {
    return clean_difference(in_b.mean, in_a.mean) / (expectation_ ? 2.0 : 1.0);
  }
  if (!expectation_ || (in_a.visits == 0 && in_b.visits == 0)) return std::nullopt;
  const double expected = expectation_->of(topic, measure).value();
  return in_b.visits > 0 ? clean_difference(in_b.mean, expected)
                         : clean_difference(expected, in_a.mean);
}

void Ledger::Differences::add(TopicIndex topic, double value) {
  topics.push_back(topic);
  values.push_back(value);
  sums.add(value);
  ++(value > 0.0 ? wins : value < 0.0 ? losses : ties);
}

Ledger::Differences Ledger::differences(ArmIndex b, std::size_t measure) const {
  Differences found;
  for (std::uint32_t t = 0; t < arm(b).topics.size(); ++t) {
    const std::optional<double> one = difference(b, TopicIndex(t), measure);
    if (one) found.add(TopicIndex(t), *one);
  }
  return found;
}

Ledger::Differences Ledger::log_latency_ratios(ArmIndex b) const {
  Differences found;
  if (options_.mode == Mode::kSplit) return found;
  for (std::uint32_t t = 0; t < arm(b).topics.size(); ++t) {
    const std::optional<double> in_a = mean_log_latency(arms_[0].topics[t]);
    const std::optional<double> in_b = mean_log_latency(arm(b).topics[t]);
    if (in_a && in_b) found.add(TopicIndex(t), *in_b - *in_a);
  }
  return found;
}

Ledger::Sums Ledger::sums(ArmIndex arm) const {
  Sums sums{.measures = std::vector<Sums::Measure>(num_measures_)};
  const std::vector<TopicState>& topics = arms_[arm.value()].topics;
  for (std::uint32_t t = 0; t < topics.size(); ++t) {
    sums.topics_seen += topics[t].seen ? 1U : 0U;
    sums.topics_awaiting += topics[t].seen && topics[t].awaiting ? 1U : 0U;
    for (std::size_t m = 0; m < num_measures_; ++m) {
      const Score& one = score(arm, TopicIndex(t), m);
      if (one.visits > 0) {
        sums.measures[m].values.add(on_scale_of_mean(scorer_->measures()[m], one.mean));
      } else if (topics[t].seen && !topics[t].awaiting && !is_reached(topics[t], m)) {
        ++sums.measures[m].too_shallow;
      }
    }
  }
  return sums;
}

std::optional<double> Ledger::expected(TopicIndex topic, std::size_t measure) const noexcept {
  return expectation_ ? expectation_->of(topic, measure) : std::nullopt;
}

}  // namespace prescope
