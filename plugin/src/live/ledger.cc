#include "live/ledger.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "live/observation_facts.h"

namespace prescope {

Ledger::Ledger(const JudgedDocnos& judged, const Scorer& scorer, std::size_t num_arms,
               LedgerOptions options)
    : options_(std::move(options)),
      versions_{&judged},
      scorer_(&scorer),
      num_measures_(scorer.measures().size()),
      visit_scorer_(judged.qrels(), scorer) {
  for (const Measure& measure : scorer.measures()) {
    cutoffs_.push_back(measure.cutoff().value_or(Cutoff(0)).value());
  }
  if (options_.mode == Mode::kSplit) {
    expectation_.emplace(judged.qrels(), scorer, options_.baseline);
  }
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

/// Topics come in no order, and each is in several places: they are fetched side by side.
void Ledger::expect(ArmIndex arm, TopicIndex topic) const noexcept {
  const auto fetch = [&](const ArmState& one) {
    constexpr std::size_t kLine = 64;
    const auto* const state = reinterpret_cast<const char*>(&one.topics[topic.value()]);
    const auto* const scores = reinterpret_cast<const char*>(&one.scores[first_score(topic)]);
    for (std::size_t i = 0; i < sizeof(TopicState); i += kLine) __builtin_prefetch(state + i);
    for (std::size_t i = 0; i < num_measures_ * sizeof(Score); i += kLine) {
      __builtin_prefetch(scores + i);
    }
  };
  fetch(arms_[arm.value()]);
  for (const PairState& pair : pairs_) {
    if (concerns(pair, arm)) fetch(arms_[arm.value() == 0 ? pair.b.value() : 0]);
  }
  visit_scorer_.expect(topic);
}

void Ledger::record(const Observation& observation) {
  ArmState& arm = arms_[observation.arm.value()];
  const bool scored = observation.topic != kUnjudgedTopic && has_ranking(observation);
  if (arm.is_removed()) {
    late_observations_ += scored ? 1U : 0U;
    return;
  }
  if (scored) expect(observation.arm, observation.topic);
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

}  // namespace prescope
