// Mode::kPaired: visits that every active arm ranked for comparison.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "live/ledger/ledger.h"

namespace prescope {

namespace {

std::uint64_t index_of(std::uint64_t generation) noexcept { return generation >> 32U; }

/// Removes the scores of measures that some ranking of a visit lacks: they cannot be compared. If
/// one ranking is too shallow, the visit is.
template <class Rankings>
void keep_common(Rankings&& rankings, std::size_t num_measures) {
  for (std::size_t m = 0; m < num_measures; ++m) {
    const auto has_score = [m](const auto& ranking) { return ranking.scores[m].has_value(); };
    const auto is_shallow = [m](const auto& ranking) { return ranking.is_shallow[m]; };
    if (std::ranges::all_of(rankings, has_score)) continue;
    const bool is_any_shallow = std::ranges::any_of(rankings, is_shallow);
    for (auto& ranking : rankings) {
      ranking.scores[m].reset();
      ranking.is_shallow[m] = is_any_shallow;
    }
  }
}

/// Puts what a user was served later in the place of what the arm had for the visit before.
template <class Ranked>
void replace_served(Ranked& earlier, const Observation& observation, Ranked now) {
  if (now.facts.answer != Answer::kRanking || !now.is_scored) return;
  if (earlier.is_scored && earlier.facts.answer == Answer::kRanking) {
    if (!may_replace(observation, earlier.facts.stage)) return;
    now.facts.take_the_place_of(earlier.facts);
  }
  earlier = std::move(now);
}

}  // namespace

/// A search that failed counts as an empty ranking: failing must not make an arm look better. Later
/// pages are not compared, nor further rankings of an arm, unless one was served to the user in
/// place of the first. What an arm served, or failed to serve, counts before its search for
/// comparison.
void Ledger::compare(const Observation& observation, bool answers) {
  const bool is_part = observation.compared_arms > 0 ||
                       options_.shadow_latency == ShadowOptions::Latency::kNotCompared;
  if (!is_part || observation.visit == 0) return;
  if (observation.first_rank != 1) {
    counts_.shadow_later_pages += observation.compared_arms > 0 ? 1U : 0U;
    return;
  }
  Comparison* const known = comparisons_.find(observation.visit);
  Comparison& visit =
      known != nullptr ? *known : comparisons_.set(observation.visit, {.topic = observation.topic});
  if (visit.is_complete) return;
  visit.ranked.reserve(arms_.size());
  if (visit.expected == 0 && observation.compared_arms > 0) ++epoch_.incomplete_visits;
  visit.expected = std::max(visit.expected, observation.compared_arms);
  const auto earlier = std::ranges::find(visit.ranked, observation.arm, &Comparison::Ranked::arm);
  if (earlier == visit.ranked.end()) {
    visit.ranked.push_back(ranked_by(observation, answers));
  } else if (observation.compared_arms == 0) {
    replace_served(*earlier, observation, ranked_by(observation, answers));
  }
  if (visit.expected > 0 && visit.ranked.size() >= visit.expected) complete(visit);
}

Ledger::Comparison::Ranked Ledger::ranked_by(const Observation& observation, bool answers) {
  Comparison::Ranked ranked{.arm = observation.arm,
                            .is_repeated = has(observation.flags, RankingFlags::kRepeated)};
  if (has_ranking(observation)) {
    ranked.is_scored = answers && translate(observation, ranked.facts);
    // A served ranking has been counted already.
    const bool is_late = answers && !ranked.is_scored && observation.compared_arms > 0;
    counts_.late_observations += is_late ? 1U : 0U;
    if (is_timed(observation)) {
      ranked.latency_ms = std::chrono::duration<double, std::milli>(observation.latency).count();
    }
  } else {
    ranked.is_scored = true;
    ranked.facts.number = observation.visit;
    ranked.facts.answer = answer_of(observation);
    ranked.facts.exhausted = ends_ranking(observation);
    ranked.has_failed = ranked.facts.answer == Answer::kFailure;
  }
  return ranked;
}

/// Returns false if both arms ranked one index in different states.
bool Ledger::share_a_state(const Comparison::Ranked& a, const Comparison::Ranked& b) noexcept {
  const std::uint64_t in_a = a.facts.generation, in_b = b.facts.generation;
  return index_of(in_a) != index_of(in_b) || in_a == in_b || in_a == 0 || in_b == 0;
}

/// Returns true if all arms ranked the visit, and those that share an index the same state of it.
bool Ledger::can_be_scored(const Comparison& visit) noexcept {
  return std::ranges::all_of(visit.ranked, [&](const Comparison::Ranked& one) {
    return one.is_scored && std::ranges::all_of(visit.ranked, [&](const auto& other) {
             return share_a_state(one, other);
           });
  });
}

/// Forgets the rankings. A visit that was counted stays incomplete.
void Ledger::abandon(Comparison& visit) noexcept {
  visit.is_complete = visit.is_complete || visit.expected > 0;
  visit.ranked = std::vector<Comparison::Ranked>();
}

/// The comparison is kept, empty, so that what still comes for its visit is not taken for another.
void Ledger::complete(Comparison& visit) {
  if (can_be_scored(visit)) {
    score_compared(visit);
    ++epoch_.compared_visits;
    --epoch_.incomplete_visits;
  }
  add_latency(visit);
  abandon(visit);
}

void Ledger::score_compared(Comparison& visit) {
  const std::size_t ranked = visit.ranked.size();
  while (compared_.size() < ranked) compared_.push_back(no_values());
  const std::span values = std::span(compared_).first(ranked);
  for (std::size_t i = 0; i < ranked; ++i) score(visit.topic, visit.ranked[i].facts, values[i]);
  keep_common(values, num_measures_);
  for (std::size_t i = 0; i < ranked; ++i) {
    Comparison::Ranked& one = visit.ranked[i];
    begin_visit(arms_[one.arm.value()].compared, visit.topic, std::move(one.facts), values[i]);
  }
  renew_first_compared(visit.topic, [&](ArmIndex arm) -> const Values* {
    const auto ranking = std::ranges::find(visit.ranked, arm, &Comparison::Ranked::arm);
    return ranking == visit.ranked.end() ? nullptr : &values[ranking - visit.ranked.begin()];
  });
}

void Ledger::add_latency(const Comparison& visit) {
  if (options_.shadow_latency == ShadowOptions::Latency::kNotCompared) return;
  const auto ranking_of = [&](ArmIndex arm) {
    return std::ranges::find(visit.ranked, arm, &Comparison::Ranked::arm);
  };
  const auto a = ranking_of(ArmIndex(0)), end = visit.ranked.end();
  if (a == end) return;
  for (std::uint32_t arm = 1; arm < arms_.size(); ++arm) {
    const auto b = ranking_of(ArmIndex(arm));
    if (b != end && share_a_state(*a, *b)) add_latency(pairs_[arm], *a, *b);
  }
}

/// A latency that is missing in one arm may be missing because of the search: the visit counts with
/// its bounds. So does the latency of an arm that alone repeated its search, because its caches may
/// be warm: it is at least what it would have been.
void Ledger::add_latency(PairState& pair, const Comparison::Ranked& a,
                         const Comparison::Ranked& b) {
  if (!a.is_scored && !b.is_scored) return;  // the user sorted or filtered both
  SpeedEvidence::Bounds bounds;
  if (a.is_timed() && b.is_timed()) {
    const double log_ratio =
        std::log(std::max(*b.latency_ms, 1e-6) / std::max(*a.latency_ms, 1e-6));
    pair.latency.add(log_ratio);
    const bool only_a = a.is_repeated && !b.is_repeated, only_b = b.is_repeated && !a.is_repeated;
    if (!only_a) bounds.least = log_ratio;
    if (!only_b) bounds.most = log_ratio;
    pair.repeated_a += only_a ? 1U : 0U;
    pair.repeated_b += only_b ? 1U : 0U;
  } else {
    pair.failed_a += a.has_failed ? 1U : 0U;
    pair.failed_b += b.has_failed ? 1U : 0U;
    pair.untimed_a += a.is_timed() || a.has_failed ? 0U : 1U;
    pair.untimed_b += b.is_timed() || b.has_failed ? 0U : 1U;
  }
  pair.speed_evidence.add(bounds);
}

/// Returns the values of the topic's last compared visit, by arm; none for an arm without it.
std::vector<Ledger::Values> Ledger::last_compared(TopicIndex topic) {
  std::vector<Values> values(arms_.size(), no_values());
  std::vector<std::size_t> ranked;
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].is_removed() || !arms_[a].compared.topics[topic.value()].seen()) continue;
    score(topic, arms_[a].compared.topics[topic.value()].last, values[a]);
    ranked.push_back(a);
  }
  const auto value = [&](std::size_t a) -> Values& { return values[a]; };
  keep_common(ranked | std::views::transform(value), num_measures_);
  return values;
}

}  // namespace prescope
