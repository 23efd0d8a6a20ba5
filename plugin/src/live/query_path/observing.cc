#include <algorithm>
#include <array>

#include "base/hash.h"
#include "live/experiment_state.h"
#include "live/query_path/prefetch.h"
#include "live/query_path/processor_counter.h"
#include "live/query_path/query_scope.h"
#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {

// The query path: from the served hits to a queued observation. No allocation, no lock, no system
// call beyond the clock, no exception.

namespace {

/// The table that the docids of a ranking are matched with; null for docnos, and for a table that
/// was not resolved for this experiment.
const ResolvedQrels* table_of(const Ranking& ranking, const Experiment::State& state) noexcept {
  if (ranking.kind != HitKind::kDocids || ranking.resolved == nullptr) return nullptr;
  return state.judgements.has(ranking.resolved->judged()) ? ranking.resolved : nullptr;
}

bool is_on_lanes(ArmIndex arm) noexcept { return arm.value() < ArmTable::kMost; }

}  // namespace

// After a search, little of this is in the caches, not even the code, and waiting for it takes
// longer than all that is done. For an unjudged query, as nearly all are, that is one function,
// which waits for one line of memory. For a judged ranking of docids it is three, each without a
// call but to what compares; what few rankings need stands aside.

RankingObserver::RankingObserver(Experiment& experiment, const Ranking& ranking) noexcept
    : next_rank_(ranking.first_rank) {
  const Ticks began = ticks_now();
  QueryThread& here = ranking.search_started.query_thread_here();
  const ArmIndex arm = here.arm.value_or(ranking.arm);
  if (here.first_unjudged_of == &experiment && !ranking.search_ended && is_on_lanes(arm))
      [[likely]] {
    here.first_unjudged_of = nullptr;
    here.scope->observed_ = true;
    here.lane.push({.latency = began - here.started,
                    .self_ticks = UnjudgedQuery::ticks_since(began),
                    .flags = static_cast<std::uint16_t>(ranking.flags),
                    .arm = static_cast<std::uint8_t>(arm.value()),
                    .is_latency_in_ticks = true});
  } else {
    began_ = began;
    begin(experiment, ranking, here);
  }
}

// Of `begin`, which calls each once.

inline RankingObserver::Latency RankingObserver::latency(bool is_first, const QueryScope& scope,
                                                         const Ranking& ranking) const noexcept {
  if (is_first && scope.started_ticks_ && !ranking.search_ended) [[likely]] {
    return {.value = began_ - *scope.started_ticks_, .is_in_ticks = true};
  }
  return latency_by_clock(is_first ? scope.started_ : ranking.search_started.time(), ranking);
}

inline void RankingObserver::match_with(TopicIndex topic, const Ranking& ranking,
                                        const ResolvedQrels* table) noexcept {
  if (table != nullptr && topic.value() < table->num_topics()) [[likely]] {
    topic_ = topic;
    resolved_ = &table->topic(topic);
  } else if (ranking.kind == HitKind::kDocnos && topic.value() < state_->judged().num_topics()) {
    topic_ = topic;
    judged_ = &state_->judged();
  } else {
    count(state_->counters.unmatched_rankings);
  }
}

inline bool RankingObserver::make_record(std::uint32_t requested_depth) noexcept {
  std::size_t judgements = 0;
  if (resolved_ != nullptr) [[likely]] {
    judgements = resolved_->judgements;
  } else if (judged_ != nullptr) {
    judgements = judged_->qrels().topic(topic_).judgements().size();
  }
  const Record::Room room{.judgements = judgements};
  if (state_->capture_depth != 0 || Record::bytes(room) > room_.size()) [[unlikely]] {
    return make_queued_record(judgements, requested_depth);
  }
  record_ = &Record::make(room_.data(), room);
  return true;
}

inline void RankingObserver::describe(const Ranking& ranking, const ResolvedQrels* table) noexcept {
  Observation& observation = record_->observation;
  observation.topic = topic_;
  if (table != nullptr) [[likely]] {
    observation.generation = table->generation();
    observation.collection_size = table->collection_size();
  } else if (ranking.kind == HitKind::kDocnos) {
    observation.generation = ranking.generation;
    observation.collection_size = ranking.collection_size;
  }
  observation.total_hits = ranking.total_hits;
  observation.first_rank = ranking.first_rank;
  observation.requested_depth = ranking.requested_depth;
  if (resolved_ != nullptr) [[likely]] {
    observation.judgements_version = table->judgements_version();
  } else if (judged_ != nullptr) {
    observation.judgements_version = judged_->version();
  }
}

void RankingObserver::begin(Experiment& experiment, const Ranking& ranking,
                            QueryThread& here) noexcept {
  Experiment::State& state = *experiment.state_;
  state.ring.prefetch();
  prefetch_to_change(&state.counters.pushed);
  QueryScope* const scope = QueryScope::current_of(experiment, here);
  if (scope == nullptr) [[unlikely]] {
    count(state.counters.queries_without_scope);
    return;
  }
  if (ranking.resolved != nullptr) [[likely]]
    ranking.resolved->prefetch(scope->topic());
  const Latency latency = this->latency(scope->take_answer(here), *scope, ranking);
  const ArmIndex arm = scope->arm().value_or(ranking.arm);
  if (here.unjudged_of == &experiment) [[unlikely]] {
    if (push_unjudged(arm, ranking, latency, here)) return;
  }
  state_ = &state;
  if (!state.is_active(arm)) [[unlikely]]
    return;
  if (!state.sampling.takes_all() && !scope->is_sampled()) [[unlikely]]
    return;
  const ResolvedQrels* table = nullptr;
  if (scope->topic() != kUnjudgedTopic) [[likely]] {
    table = table_of(ranking, state);
    match_with(scope->topic(), ranking, table);
  }
  if (!make_record(ranking.requested_depth)) [[unlikely]]
    return;
  record_->observation.arm = arm;
  record_->observation.flags = ranking.flags | scope->flags_;
  record_->latency = latency;
  describe(ranking, table);
  if (!ranking.docids.empty()) add(ranking.docids);
  if (!ranking.docnos.empty()) [[unlikely]]
    add(ranking.docnos);
}

void RankingObserver::add(std::span<const DocId> docids) noexcept {
  const Rank first = next_rank_;
  next_rank_ += static_cast<Rank>(docids.size());
  if (record_ == nullptr || resolved_ == nullptr) [[unlikely]]
    return;
  if (record_->capture_room != 0) [[unlikely]]
    capture(docids, first);
  constexpr std::size_t kAtOnce = 256;
  std::array<JudgedPosition, kAtOnce> found;
  for (std::size_t begin = 0; begin < docids.size(); begin += kAtOnce) {
    const auto part = docids.subspan(begin, std::min(kAtOnce, docids.size() - begin));
    const std::size_t count = state_->judged_positions(*resolved_, part, found.data());
    for (std::size_t i = 0; i < count; ++i) {
      record_->hit(resolved_->entries[found[i].entry].judgement,
                   first + static_cast<Rank>(begin) + found[i].position);
    }
  }
}

void RankingObserver::end() noexcept {
  Record* record = record_;
  record->observation.num_ret = next_rank_ - record->observation.first_rank;
  if (!is_queued()) [[likely]] {
    record->close();
    std::byte* const place = state_->claim(record->room());
    if (place == nullptr) [[unlikely]]
      return;
    record = &record->copy_to(place);
  }
  state_->commit(*record, began_);
}

// The query path of rankings of docnos, of those that are captured, and of other rare ones: beside
// the path of the others, so that they do not make it longer.

bool RankingObserver::push_unjudged(ArmIndex arm, const Ranking& ranking, const Latency& latency,
                                    QueryThread& here) noexcept {
  if (arm.value() >= ArmTable::kMost || !here.lane.has_room()) return false;
  here.lane.push({.latency = latency.value,
                  .self_ticks = UnjudgedQuery::ticks_since(began_),
                  .flags = static_cast<std::uint16_t>(ranking.flags),
                  .arm = static_cast<std::uint8_t>(arm.value()),
                  .is_latency_in_ticks = latency.is_in_ticks});
  return true;
}

RankingObserver::Latency RankingObserver::latency_by_clock(QueryClock::time_point started,
                                                           const Ranking& ranking) const noexcept {
  const auto ended = ranking.search_ended ? *ranking.search_ended : query_clock_at(began_);
  return {.value = (ended - started).count()};
}

bool RankingObserver::make_queued_record(std::size_t judgements,
                                         std::uint32_t requested_depth) noexcept {
  Record::Room room{.judgements = judgements};
  if (is_matched()) {
    (resolved_ != nullptr ? room.docids : room.keys) =
        std::min(requested_depth, state_->capture_depth);
  }
  std::byte* const place = state_->claim(room);
  if (place == nullptr) return false;
  record_ = &Record::make(place, room);
  return true;
}

void RankingObserver::capture(std::span<const DocId> docids, Rank first) noexcept {
  const std::size_t taken = std::min(record_->room_to_capture(first), docids.size());
  std::copy_n(docids.begin(), taken, record_->docids() + record_->num_captured);
  record_->num_captured += static_cast<std::uint32_t>(taken);
}

void RankingObserver::add(std::span<const std::string_view> docnos) noexcept {
  const Rank first = next_rank_;
  next_rank_ += static_cast<Rank>(docnos.size());
  if (record_ == nullptr || judged_ == nullptr) return;
  std::size_t room = record_->room_to_capture(first);
  DocnoBuffer buffer;
  for (std::size_t i = 0; i < docnos.size(); ++i) {
    const std::string_view key = judged_->docnos().key(docnos[i], buffer);
    if (room != 0) {
      record_->keys()[record_->num_captured++] = key_hash(key);
      --room;
    }
    const std::uint32_t found = judged_->find(key);
    if (found == JudgedDocnos::kNotJudged) continue;
    for (const JudgedDocnos::Use& use : judged_->uses(found)) {
      if (use.topic == topic_) record_->hit(use.judgement, first + static_cast<Rank>(i));
    }
  }
}

void RankingObserver::abandon() noexcept {
  if (state_ == nullptr) return;
  count(state_->counters.adapter_failures);
  if (record_ != nullptr && is_queued()) state_->abandon(*record_);
  record_ = nullptr;
}

void Experiment::State::count_inactive(ArmIndex arm) noexcept {
  count(arm.value() < arms.size() ? counters.inactive_arm : counters.unknown_arm);
}

bool Experiment::State::is_sampled() noexcept {
  if (sampling.takes_next()) return true;
  count(counters.sampled_out);
  return false;
}

void Experiment::State::abandon(RankingObserver::Record& record) noexcept {
  record.abandoned = true;
  counters.pushed.fetch_sub(1, std::memory_order_relaxed);
  hand_over(record);  // what is claimed must be committed
}

// The query path of a search that ended without a ranking.

void Experiment::observe_failure(ArmIndex arm, SearchFailure failure) noexcept {
  const Ticks began = ticks_now();
  QueryScope* scope = QueryScope::current_of(*this);
  const bool is_first = scope != nullptr && scope->take_answer(query_thread);
  const ArmIndex of = scope != nullptr ? scope->arm().value_or(arm) : arm;
  if (!state_->is_active(of) || !(scope != nullptr ? scope->is_sampled() : state_->is_sampled())) {
    return;
  }
  std::byte* const place = state_->claim({});
  if (place == nullptr) return;
  auto& record = RankingObserver::Record::make(place, {});
  Observation& observation = record.observation;
  observation.arm = of;
  observation.flags =
      failure == SearchFailure::kTimedOut ? RankingFlags::kTimedOut : RankingFlags::kFailed;
  if (scope != nullptr) {
    observation.topic = scope->topic();
    observation.flags = observation.flags | scope->flags_;
    observation.judgements_version = state_->judged().version();
  }
  if (is_first) {
    record.latency = {.value = (query_clock_at(began) - scope->started_).count()};
  }
  state_->commit(record, began);
}

}  // namespace prescope
