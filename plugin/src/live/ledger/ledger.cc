#include "live/ledger/ledger.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

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

/// Keeps their room.
void Ledger::forget_topics(ArmState& arm) noexcept {
  for (TopicState& topic : arm.topics) {
    TopicState fresh;
    fresh.hits = std::move(topic.hits);
    fresh.hits.clear();
    fresh.captured = std::move(topic.captured);
    if (fresh.captured) fresh.captured->clear();
    topic = std::move(fresh);
  }
  std::ranges::fill(arm.scores, Score{});
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

namespace {

using TopicState = Ledger::TopicState;

std::uint32_t last_rank(const Observation& observation) {
  return observation.first_rank - 1 + observation.num_ret;
}

bool are_known_to_differ(std::uint64_t a, std::uint64_t b) { return a != 0 && b != 0 && a != b; }

bool at_least_as_deep(const Visit& visit, const TopicState& state) {
  const bool to_the_end = visit.is_decided() && ends_ranking(*visit.observation);
  if (to_the_end) return true;
  if (state.exhausted && !state.awaiting) return false;
  const std::uint32_t known = state.awaiting ? state.judged_depth : state.covered;
  return (visit.is_decided() ? last_rank(*visit.observation) : visit.judged_depth) >= known;
}

bool counts(const Visit& visit, const TopicState& state) {
  const std::uint64_t generation = visit.observation->generation;
  const bool newer =
      are_known_to_differ(generation, state.generation) && generation > state.generation;
  return !state.seen || newer || at_least_as_deep(visit, state);
}

bool was_captured(const Observation& observation) {
  return !observation.captured_docids.empty() || !observation.captured_keys.empty();
}

/// Room for what `keep` will keep.
void make_room(TopicState& state, const Visit& visit) {
  const Observation& observation = *visit.observation;
  state.hits.reserve(visit.hits.size());
  if (!was_captured(observation)) return;
  if (!state.captured) state.captured = std::make_unique<Capture>();
  state.captured->docids.reserve(observation.captured_docids.size());
  state.captured->keys.reserve(observation.captured_keys.size());
  state.captured->unlocated.reserve(visit.unlocated.size());
}

void keep(TopicState& state, const Visit& visit) noexcept {
  const Observation& observation = *visit.observation;
  state.hits.assign(visit.hits.begin(), visit.hits.end());
  state.generation = observation.generation;
  state.collection_size = observation.collection_size;
  state.covered = last_rank(observation);
  state.exhausted = ends_ranking(observation);
  state.seen = true;
  state.awaiting = !visit.is_decided();
  state.judged_depth = visit.judged_depth;
  if (!state.captured) return;
  Capture& captured = *state.captured;
  captured.generation = observation.generation;
  captured.docids.assign(observation.captured_docids.begin(), observation.captured_docids.end());
  captured.keys.assign(observation.captured_keys.begin(), observation.captured_keys.end());
  captured.unlocated.assign(visit.unlocated.begin(), visit.unlocated.end());
}

bool is_awaited(const TopicState& state, JudgementIndex judgement) {
  return state.awaiting &&
         std::ranges::find(state.captured->unlocated, judgement) != state.captured->unlocated.end();
}

/// Hits behind what is known, each document once: one that is awaited may stand on an earlier page
/// too. Throws before anything is changed.
void append_hits(TopicState& state, std::span<const JudgedHit> hits) {
  const std::size_t known = state.hits.size();
  state.hits.reserve(known + hits.size());
  for (const JudgedHit& hit : hits) {
    const auto end = state.hits.begin() + static_cast<std::ptrdiff_t>(known);
    const bool seen = std::find_if(state.hits.begin(), end, [&](const JudgedHit& earlier) {
                        return earlier.judgement == hit.judgement;
                      }) != end;
    if (hit.rank > state.covered && !seen && !is_awaited(state, hit.judgement)) {
      state.hits.push_back(hit);
    }
  }
}

/// What a later page serves behind `known`, of which page[0] stands at `first_rank`.
template <class Hit>
void append_captured(std::vector<Hit>& known, std::span<const Hit> page, Rank first_rank) {
  const std::size_t again = known.size() + 1 - first_rank;
  if (again >= page.size()) return;
  known.insert(known.end(), page.begin() + static_cast<std::ptrdiff_t>(again), page.end());
}

/// Where what is known was captured to its end; a gap would be found too late.
void append_capture(TopicState& state, const Observation& page) {
  if (!state.captured || state.captured->depth() != state.covered) return;
  Capture& captured = *state.captured;
  if (!captured.docids.empty() && captured.generation == page.generation) {
    append_captured(captured.docids, page.captured_docids, page.first_rank);
  }
  if (!captured.keys.empty()) {
    append_captured(captured.keys, page.captured_keys, page.first_rank);
  }
}

}  // namespace

bool Ledger::take(const Observation& observation) {
  const std::optional<Visit> visit = in_current_judgements(observation);
  if (!visit) return false;
  TopicState& state = arms_[observation.arm.value()].topics[observation.topic.value()];
  if (observation.first_rank == 1) {
    if (counts(*visit, state)) replace(state, *visit);
    ++state.visits;
  } else {
    take_page(state, *visit);
  }
  return true;
}

void Ledger::take_page(TopicState& state, const Visit& visit) {
  const Observation& page = *visit.observation;
  const bool follows = state.seen && !are_known_to_differ(page.generation, state.generation) &&
                       (page.first_rank <= state.covered + 1 || state.exhausted);
  if (!follows) {
    ++page_gaps_;
  } else if (page.first_rank > state.covered + 1) {
    // Behind the end of a ranking there is nothing to miss.
  } else if (last_rank(page) > state.covered || ends_ranking(page)) {
    extend(state, visit);
  }
}

void Ledger::replace(TopicState& state, const Visit& visit) {
  const Observation& observation = *visit.observation;
  make_room(state, visit);
  uncount_topic(observation.arm, observation.topic);
  keep(state, visit);
  if (expectation_) expectation_->fix(observation.topic);
  Score* const scores = &arms_[observation.arm.value()].scores[first_score(observation.topic)];
  for (std::size_t m = 0; m < num_measures_; ++m) scores[m].of_last_visit = false;
  enter_values(observation.arm, observation.topic);
  count_topic(observation.arm, observation.topic);
}

void Ledger::extend(TopicState& state, const Visit& visit) {
  const Observation& page = *visit.observation;
  append_capture(state, page);
  append_hits(state, visit.hits);
  uncount_topic(page.arm, page.topic);
  if (state.generation == 0) state.generation = page.generation;
  state.covered = std::max(state.covered, last_rank(page));
  state.exhausted = ends_ranking(page);
  enter_values(page.arm, page.topic);
  count_topic(page.arm, page.topic);
}

/// Of a visit that is new, or of one that a page has extended.
void Ledger::enter_values(ArmIndex arm, TopicIndex topic) noexcept {
  const std::span<const std::optional<double>> now = values(arm, topic);
  for (std::size_t m = 0; m < num_measures_; ++m) {
    if (!now[m]) continue;
    Score score = this->score(arm, topic, m);
    const double before = score.of_last_visit ? score.last : score.mean;
    score.visits += score.of_last_visit ? 0U : 1U;
    score.mean += (*now[m] - before) / score.visits;
    score.last = *now[m];
    score.of_last_visit = true;
    set_score(arm, topic, m, score);
  }
}

std::span<const std::optional<double>> Ledger::values(ArmIndex arm, TopicIndex topic) noexcept {
  const TopicState& state = arms_[arm.value()].topics[topic.value()];
  const std::span<std::optional<double>> values =
      visit_scorer_.score({.topic = topic,
                           .hits = state.hits,
                           .num_ret = state.covered,
                           .collection_size = state.collection_size});
  for (std::size_t m = 0; m < num_measures_; ++m) {
    if (!is_reached(state, m)) values[m].reset();
  }
  return values;
}

}  // namespace prescope
