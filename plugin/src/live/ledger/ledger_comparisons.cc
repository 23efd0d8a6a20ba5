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

/// Returns whether the observation is part of a comparison. A served ranking is part of it if its
/// arm is not searched again. A failure that left the user without an answer always is: failing
/// must not make an arm look better.
bool Ledger::is_compared(const Observation& observation) noexcept {
  if (is_comparison(observation)) return true;
  if (options_.shadow_latency == ShadowOptions::Latency::kNotCompared) return true;
  return answer_of(observation) == Answer::kFailure && is_unanswered(observation);
}

/// A search that failed counts as an empty ranking. Later pages are not compared, nor further
/// rankings of an arm, unless one was served to the user in place of the first. What an arm served,
/// or failed to serve, counts before its search for comparison. From the announcement of a
/// comparison on, what is missing from it may be anything.
void Ledger::compare(const Observation& observation, bool answers) {
  if (observation.visit == 0) return;
  Comparison* const known = comparisons_.find(observation.visit);
  const bool is_part = is_compared(observation);
  if (!is_part && known == nullptr) return;
  if (observation.first_rank != 1) {
    counts_.shadow_later_pages += is_comparison(observation) ? 1U : 0U;
    return;
  }
  Comparison& visit =
      known != nullptr ? *known : comparisons_.set(observation.visit, {.topic = observation.topic});
  if (visit.is_complete) return;
  if (is_part) {
    take_in(visit, observation, answers);
  } else if (has_ranking(observation)) {
    // The search that failed was repeated, and its arm did answer.
    std::erase_if(visit.ranked, [&](const Comparison::Ranked& one) {
      return one.is_of_user && one.arm == observation.arm;
    });
  }
  if (visit.expected == 0) return;
  visit.number = observation.visit;
  if (visit.ranked.size() >= visit.expected) return complete(visit);
  if (is_evidence(visit)) renew_first_compared(visit);
}

void Ledger::take_in(Comparison& visit, const Observation& observation, bool answers) {
  visit.ranked.reserve(arms_.size());
  visit.expected = std::max(visit.expected, observation.compared_arms);
  const bool is_announcement =
      is_comparison(observation) && answer_of(observation) == Answer::kUnseen;
  const auto earlier = std::ranges::find(visit.ranked, observation.arm, &Comparison::Ranked::arm);
  if (is_announcement) {
    // An announcement comes before the first search.
  } else if (earlier == visit.ranked.end()) {
    visit.ranked.push_back(ranked_by(observation, answers));
  } else if (!is_comparison(observation)) {
    replace_served(*earlier, observation, ranked_by(observation, answers));
  }
  const bool has_begun = std::ranges::any_of(
      visit.ranked, [](const auto& one) { return !one.is_of_user || one.has_failed; });
  visit.is_awaited = visit.is_awaited || has(observation.flags, RankingFlags::kAwaited);
  const bool is_given_up = has(observation.flags, RankingFlags::kGivenUp);
  if (visit.expected == 0 || !(has_begun || is_given_up) || visit.is_counted) return;
  visit.is_counted = true;
  ++epoch_.incomplete_visits;
}

Ledger::Comparison::Ranked Ledger::ranked_by(const Observation& observation, bool answers) {
  Comparison::Ranked ranked{.arm = observation.arm,
                            .is_of_user = !is_comparison(observation),
                            .is_left_out = !answers,
                            .is_repeated = has(observation.flags, RankingFlags::kRepeated)};
  if (has_ranking(observation)) {
    ranked.is_scored = answers && translate(observation, ranked.facts);
    // A served ranking has been counted already.
    const bool is_late = answers && !ranked.is_scored && is_comparison(observation);
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

bool Ledger::share_a_state(const Comparison& visit) noexcept {
  return std::ranges::all_of(visit.ranked, [&](const Comparison::Ranked& one) {
    return std::ranges::all_of(visit.ranked,
                               [&](const auto& other) { return share_a_state(one, other); });
  });
}

/// Forgets the rankings. A visit that was counted stays incomplete.
void Ledger::abandon(Comparison& visit) noexcept {
  visit.is_complete = visit.is_complete || visit.expected > 0;
  visit.ranked = std::vector<Comparison::Ranked>();
}

/// The comparison is kept, empty, so that what still comes for its visit is not taken for another.
/// A visit that the user sorted or filtered under every arm is no comparison.
void Ledger::complete(Comparison& visit) {
  renew_first_compared(visit);
  const bool is_ranked = std::ranges::all_of(visit.ranked, &Comparison::Ranked::is_scored);
  if (is_ranked && share_a_state(visit)) {
    score_compared(visit);
    ++epoch_.compared_visits;
    --epoch_.incomplete_visits;
  } else if (std::ranges::all_of(visit.ranked, &Comparison::Ranked::is_left_out)) {
    --epoch_.incomplete_visits;
  }
  add_latency(visit);
  abandon(visit);
}

/// Returns whether the visit is the evidence of its topic for some pair, or may become it.
bool Ledger::is_evidence(const Comparison& visit) const noexcept {
  const std::size_t family = qrels().family(visit.topic).value();
  return std::ranges::any_of(pairs_, [&](const PairState& pair) {
    if (pair.first_visits.empty()) return false;
    const FirstVisit& first = pair.first_visits[family];
    return first.visit == 0 || first.visit == visit.number || first.gives_way;
  });
}

/// Returns whether the topic's next visit takes the place of this one, because it says nothing for
/// another reason than what was searched for: it was not searched by all arms, or it is of other
/// judgements. A ranking that the host reports may be missing because of what it was.
bool Ledger::gives_way(const Comparison& visit) noexcept {
  using Ranked = Comparison::Ranked;
  const auto is_any = [&](const auto& is_one) { return std::ranges::any_of(visit.ranked, is_one); };
  if (is_any([](const Ranked& one) { return !one.is_scored && !one.is_left_out; })) return true;
  return visit.ranked.size() < visit.expected && !visit.is_awaited &&
         !is_any([](const Ranked& one) { return one.has_failed || one.is_left_out; });
}

/// Scores the rankings that have come so far. An arm that has not ranked the visit, or not in a way
/// that can be scored, can have any value, unless the user has left all of them out.
void Ledger::renew_first_compared(const Comparison& visit) {
  const std::size_t ranked = visit.ranked.size();
  while (compared_.size() <= ranked) compared_.push_back(no_values());
  const VisitFacts unknown{.answer = Answer::kUnseen};
  const bool is_known = share_a_state(visit);
  for (std::size_t i = 0; i < ranked; ++i) {
    const Comparison::Ranked& one = visit.ranked[i];
    score(visit.topic, is_known && one.is_scored ? one.facts : unknown, compared_[i]);
  }
  score(visit.topic, unknown, compared_[ranked]);
  const bool is_left_out =
      ranked > 0 && std::ranges::all_of(visit.ranked, &Comparison::Ranked::is_left_out);
  const FirstVisit first{
      .topic = visit.topic, .visit = visit.number, .gives_way = !is_known || gives_way(visit)};
  renew_first_compared(first, [&](ArmIndex arm) -> const Values* {
    if (is_left_out) return nullptr;
    const auto ranking = std::ranges::find(visit.ranked, arm, &Comparison::Ranked::arm);
    if (ranking != visit.ranked.end()) return &compared_[ranking - visit.ranked.begin()];
    return ranked < visit.expected ? &compared_[ranked] : nullptr;
  });
}

/// Takes the values that `renew_first_compared` has left.
void Ledger::score_compared(Comparison& visit) {
  const std::span values = std::span(compared_).first(visit.ranked.size());
  keep_common(values, num_measures_);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Comparison::Ranked& one = visit.ranked[i];
    begin_visit(arms_[one.arm.value()].compared, visit.topic, std::move(one.facts), values[i]);
  }
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
/// its bounds. So does a visit that only one arm had searched before: its first search may have
/// warmed its caches, and the other arm's caches are free of the users' searches.
void Ledger::add_latency(PairState& pair, const Comparison::Ranked& a,
                         const Comparison::Ranked& b) {
  if (!a.is_scored && !b.is_scored) return;  // the user sorted or filtered both
  SpeedEvidence::Bounds bounds;
  if (a.is_timed() && b.is_timed()) {
    const double log_ratio =
        std::log(std::max(*b.latency_ms, 1e-6) / std::max(*a.latency_ms, 1e-6));
    pair.latency.add(log_ratio);
    const bool only_a = a.is_repeated && !b.is_repeated, only_b = b.is_repeated && !a.is_repeated;
    if (!only_a && !only_b) bounds = {log_ratio, log_ratio};
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
