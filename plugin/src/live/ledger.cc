#include "live/ledger.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace prescope {
namespace {

double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

bool ends_ranking(const Observation& observation) {
  return observation.num_ret < observation.requested_depth &&
         !has(observation.flags, RankingFlags::kPartial);
}

std::uint32_t last_rank(const Observation& observation) {
  return observation.first_rank - 1 + observation.num_ret;
}

bool at_least_as_deep(const Observation& observation, const Ledger::TopicState& state) {
  if (ends_ranking(observation)) return true;
  return !state.exhausted && last_rank(observation) >= state.covered;
}

void add_latency(Ledger::TopicState& state, std::chrono::nanoseconds latency) {
  const double latency_ms = std::max(milliseconds(latency), 1e-6);
  ++state.timed_visits;
  state.last_latency_ms = latency_ms;
  state.sum_log_latency += std::log(latency_ms);
}

}  // namespace

Ledger::Ledger(const Qrels& qrels, const Scorer& scorer, std::size_t num_arms)
    : qrels_(&qrels), scorer_(&scorer), arms_(num_arms) {
  for (ArmState& arm : arms_) arm.topics.resize(qrels.topics().size());
  for (const TopicQrels& topic : qrels.topics()) {
    std::vector<Grade>& grades = grades_.emplace_back();
    for (const Judgement& judgement : topic.judgements()) grades.push_back(judgement.grade);
    std::ranges::sort(grades, std::greater{});
  }
}

void Ledger::record(const Observation& observation) {
  ArmState& arm = arms_[observation.arm.value()];
  const bool retried = has(observation.flags, RankingFlags::kRetried);
  const bool timed = !retried && !has(observation.flags, RankingFlags::kUntimed);
  if (retried) ++arm.retried_queries;
  if (timed) arm.latency.add(observation.latency);
  if (observation.topic == kUnjudgedTopic) {
    ++arm.unjudged_queries;
    return;
  }
  TopicState& state = arm.topics[observation.topic.value()];
  take(state, observation);
  ++state.visits;
  ++arm.judged_queries;
  arm.duplicate_hits += observation.duplicates;
  if (!retried) arm.self_time.add(observation.self_time);
  if (timed) add_latency(state, observation.latency);
}

void Ledger::take(TopicState& state, const Observation& observation) {
  const bool first_visit = state.visits == 0;
  const bool newer = first_visit || observation.generation > state.generation;
  if (!newer && observation.generation < state.generation) return;
  if (observation.first_rank == 1) {
    if (newer || at_least_as_deep(observation, state)) replace(state, observation);
  } else if (newer || observation.first_rank > state.covered + 1) {
    // Behind the end of a ranking there is nothing to miss.
    if (newer || !state.exhausted) ++page_gaps_;
  } else if (last_rank(observation) > state.covered || ends_ranking(observation)) {
    extend(state, observation);
  }
}

void Ledger::replace(TopicState& state, const Observation& observation) {
  state.hits.assign(observation.hits.begin(), observation.hits.end());
  state.generation = observation.generation;
  state.collection_size = observation.collection_size;
  state.covered = last_rank(observation);
  state.exhausted = ends_ranking(observation);
  score(state, observation.topic);
}

void Ledger::extend(TopicState& state, const Observation& observation) {
  const std::size_t known = state.hits.size();
  for (const JudgedHit& hit : observation.hits) {
    const auto end = state.hits.begin() + static_cast<std::ptrdiff_t>(known);
    const bool seen = std::any_of(state.hits.begin(), end, [&](const JudgedHit& earlier) {
      return earlier.judgement == hit.judgement;
    });
    if (hit.rank > state.covered && !seen) state.hits.push_back(hit);
  }
  state.covered = std::max(state.covered, last_rank(observation));
  state.exhausted = ends_ranking(observation);
  score(state, observation.topic);
}

void Ledger::score(TopicState& state, TopicIndex topic) {
  const TopicQrels& judged = qrels_->topic(topic);
  state.relevant_ranks.clear();
  judged_.clear();
  for (const JudgedHit& hit : state.hits) {
    judged_.push_back({hit.rank, judged.judgements()[hit.judgement.value()].grade});
    if (judged.is_relevant(hit.judgement)) state.relevant_ranks.push_back(hit.rank);
  }
  state.scores.resize(scorer_->measures().size());
  scorer_->score({.num_rel = judged.num_rel(),
                  .relevant = state.relevant_ranks,
                  .num_ret = state.covered,
                  .collection_size = state.collection_size,
                  .judged = judged_,
                  .grades = grades_[topic.value()],
                  .min_grade = qrels_->min_grade()},
                 state.scores);
  for (std::size_t m = 0; m < state.scores.size(); ++m) {
    const std::optional<Cutoff> cutoff = scorer_->measures()[m].cutoff();
    if (cutoff && !state.reaches(*cutoff)) state.scores[m].reset();
  }
}

}  // namespace prescope
