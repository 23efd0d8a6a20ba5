// Sums over topics: kept up to date by delta, or made anew from the topics.
#include <algorithm>
#include <utility>

#include "live/ledger/ledger.h"
#include "runs/evaluation.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

using PairState = Ledger::PairState;
using TopicState = Ledger::TopicState;

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
  if (!a || !b) return std::nullopt;
  return *b - *a;
}

void revise(TopicSums& sums, std::optional<double> before, std::optional<double> now) noexcept {
  if (!now) return;
  before ? sums.replace(*before, *now) : sums.add(*now);
}

}  // namespace

bool Ledger::is_reached(const TopicState& state, std::size_t measure) const noexcept {
  const std::uint32_t cutoff = cutoffs_[measure];
  return cutoff == 0 ? !state.awaiting : state.reaches(Cutoff(cutoff));
}

bool Ledger::is_too_shallow(ArmIndex arm, TopicIndex topic, std::size_t measure) const noexcept {
  const TopicState& state = arms_[arm.value()].topics[topic.value()];
  return state.seen && !state.awaiting && score(arm, topic, measure).visits == 0 &&
         !is_reached(state, measure);
}

void Ledger::count_topic(ArmIndex arm, TopicIndex topic) noexcept {
  ArmState& state = arms_[arm.value()];
  const TopicState& one = state.topics[topic.value()];
  if (!one.seen) return;
  ++state.topics_seen;
  state.topics_awaiting += one.awaiting ? 1U : 0U;
  for (std::size_t m = 0; m < num_measures_; ++m) {
    state.measures[m].too_shallow += is_too_shallow(arm, topic, m) ? 1U : 0U;
  }
}

/// Before a topic changes, so that it is counted as it is after.
void Ledger::uncount_topic(ArmIndex arm, TopicIndex topic) noexcept {
  ArmState& state = arms_[arm.value()];
  const TopicState& one = state.topics[topic.value()];
  if (!one.seen) return;
  --state.topics_seen;
  state.topics_awaiting -= one.awaiting ? 1U : 0U;
  for (std::size_t m = 0; m < num_measures_; ++m) {
    state.measures[m].too_shallow -= is_too_shallow(arm, topic, m) ? 1U : 0U;
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
  const double expected = expectation_->of(topic, m);
  return b.visits > 0 ? clean_difference(b.mean, expected) : clean_difference(expected, a.mean);
}

std::optional<double> Ledger::difference(ArmIndex b, TopicIndex topic,
                                         std::size_t measure) const noexcept {
  return difference_of(topic, measure, score(ArmIndex(0), topic, measure),
                       score(b, topic, measure));
}

std::optional<double> Ledger::expected(TopicIndex topic, std::size_t measure) const noexcept {
  if (!expectation_ || !expectation_->is_fixed(topic)) return std::nullopt;
  return expectation_->of(topic, measure);
}

void Ledger::sum_up() noexcept {
  for (std::uint32_t a = 0; a < arms_.size(); ++a) sum_up_arm(ArmIndex(a));
  for (PairState& pair : pairs_) sum_up_pair(pair);
}

void Ledger::sum_up_arm(ArmIndex arm) noexcept {
  ArmState& state = arms_[arm.value()];
  std::ranges::fill(state.measures, MeasureState{});
  state.topics_seen = state.topics_awaiting = 0;
  for (std::uint32_t t = 0; t < state.topics.size(); ++t) {
    count_topic(arm, TopicIndex(t));
    for (std::size_t m = 0; m < num_measures_; ++m) {
      const Score& score = this->score(arm, TopicIndex(t), m);
      if (score.visits > 0) sum_value(arm, m, Score{}, score);
    }
  }
}

void Ledger::sum_up_pair(PairState& pair) noexcept {
  const ArmState &a = arms_[0], &b = arms_[pair.b.value()];
  std::ranges::fill(pair.measures, PairState::Measure{});
  pair.log_latency = TopicSums();
  for (std::uint32_t t = 0; t < b.topics.size(); ++t) {
    for (std::size_t m = 0; m < num_measures_; ++m) {
      revise(pair.measures[m], std::nullopt, difference(pair.b, TopicIndex(t), m));
    }
    if (options_.mode == Mode::kSplit) continue;
    revise(pair.log_latency, std::nullopt,
           log_ratio(mean_log_latency(a.topics[t]), mean_log_latency(b.topics[t])));
  }
}

}  // namespace prescope
