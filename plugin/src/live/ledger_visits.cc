#include <algorithm>

#include "live/ledger.h"
#include "live/observation_facts.h"

namespace prescope {
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
