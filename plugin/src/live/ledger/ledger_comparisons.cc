// Mode::kPaired: visits that every active arm ranked for comparison.
#include <algorithm>
#include <cmath>

#include "live/ledger/ledger.h"

namespace prescope {

namespace {

/// Removes the values of measures that some arm's ranking does not reach: they cannot be compared.
void keep_common(std::span<std::vector<std::optional<double>>* const> arms) {
  for (std::size_t m = 0; m < (arms.empty() ? 0 : arms[0]->size()); ++m) {
    const auto has_value = [m](const auto* values) { return (*values)[m].has_value(); };
    if (std::ranges::all_of(arms, has_value)) continue;
    for (auto* values : arms) (*values)[m].reset();
  }
}

}  // namespace

/// A search that failed counts as an empty ranking: failing must not make an arm look better. Later
/// pages, and further rankings of an arm, are not compared.
void Ledger::compare(const Observation& observation, bool answers) {
  const bool is_part = observation.compared_arms > 0 ||
                       options_.shadow_latency == ShadowOptions::Latency::kNotCompared;
  if (!is_part || observation.visit == 0 || observation.first_rank != 1) return;
  Comparison& visit = comparison(observation.visit, observation.topic);
  const bool is_known = std::ranges::find(visit.ranked, observation.arm,
                                          &Comparison::Ranked::arm) != visit.ranked.end();
  if (visit.is_complete || is_known) return;
  Comparison::Ranked ranked{.arm = observation.arm};
  if (has_ranking(observation)) {
    ranked.is_scored = answers && translate(observation, ranked.facts);
    if (is_timed(observation)) {
      ranked.latency_ms = std::chrono::duration<double, std::milli>(observation.latency).count();
    }
  } else {
    ranked.is_scored = true;
    ranked.facts.number = observation.visit;
    ranked.facts.exhausted = true;
  }
  visit.ranked.push_back(std::move(ranked));
  visit.expected = std::max(visit.expected, observation.compared_arms);
  if (visit.expected > 0 && visit.ranked.size() >= visit.expected) complete(visit);
}

Ledger::Comparison& Ledger::comparison(std::uint64_t visit, TopicIndex topic) {
  if (Comparison* const known = comparisons_.find(visit)) return *known;
  return comparisons_.set(visit, {.topic = topic});
}

/// The comparison is kept, empty, so that what still comes for its visit is not taken for another.
void Ledger::complete(Comparison& visit) {
  visit.is_complete = true;
  if (std::ranges::all_of(visit.ranked, &Comparison::Ranked::is_scored)) {
    score_compared(visit);
    add_latency(visit);
    ++epoch_.compared_visits;
  } else {
    ++epoch_.incomplete_visits;
  }
  visit.ranked = std::vector<Comparison::Ranked>();
}

void Ledger::score_compared(Comparison& visit) {
  std::vector<Values> values(visit.ranked.size(), Values(num_measures_));
  std::vector<Values*> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    score(visit.topic, visit.ranked[i].facts, values[i]);
    all.push_back(&values[i]);
  }
  keep_common(all);
  take_out_of_pairs(ArmIndex(0), visit.topic);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Comparison::Ranked& ranked = visit.ranked[i];
    begin_visit(arms_[ranked.arm.value()].compared, visit.topic, std::move(ranked.facts),
                values[i]);
  }
  add_to_pairs(ArmIndex(0), visit.topic);
  for_each_pair(ArmIndex(0), [&](ArmIndex b) { renew_evidence(b, visit.topic, false); });
}

void Ledger::add_latency(const Comparison& visit) noexcept {
  if (options_.shadow_latency == ShadowOptions::Latency::kNotCompared) return;
  const auto latency_of = [&](ArmIndex arm) {
    const auto ranked = std::ranges::find(visit.ranked, arm, &Comparison::Ranked::arm);
    return ranked == visit.ranked.end() ? std::nullopt : ranked->latency_ms;
  };
  const std::optional<double> a = latency_of(ArmIndex(0));
  if (!a) return;
  for_each_pair(ArmIndex(0), [&](ArmIndex b) {
    const std::optional<double> of_b = latency_of(b);
    if (of_b) pairs_[b.value()].latency.add(std::log(std::max(*of_b, 1e-6) / std::max(*a, 1e-6)));
  });
}

/// Returns the values of the topic's last compared visit, by arm; none for an arm without it.
std::vector<Ledger::Values> Ledger::last_compared(TopicIndex topic) {
  std::vector<Values> values(arms_.size(), Values(num_measures_));
  std::vector<Values*> ranked;
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].is_removed() || !arms_[a].compared.topics[topic.value()].seen()) continue;
    score(topic, arms_[a].compared.topics[topic.value()].last, values[a]);
    ranked.push_back(&values[a]);
  }
  keep_common(ranked);
  return values;
}

}  // namespace prescope
