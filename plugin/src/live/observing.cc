// The query path: from the served hits to a queued observation. No allocation, no lock, no system
// call beyond the clock, no exception.
#include <algorithm>
#include <array>
#include <utility>

#include "core/code_placement.h"
#include "core/judged_positions.h"
#include "live/experiment_state.h"
#include "live/key_hash.h"
#include "live/processor_counter.h"
#include "live/query_thread.h"
#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {
namespace {

/// The table that the docids of a ranking are matched with; null for docnos, and for a table that
/// was not resolved for this experiment.
const ResolvedQrels* table_of(const Ranking& ranking, const Experiment::State& state) noexcept {
  if (ranking.kind != HitKind::kDocids || ranking.resolved == nullptr) return nullptr;
  return state.judgements.has(ranking.resolved->judged()) ? ranking.resolved : nullptr;
}

bool is_on_lanes(ArmIndex arm) noexcept { return arm.value() < ArmTable::kMost; }

[[gnu::always_inline]] inline std::uint32_t ticks_since(Ticks began) noexcept {
  return static_cast<std::uint32_t>(std::clamp<Ticks>(ticks_now() - began, 0, UINT32_MAX));
}

}  // namespace

// After a search, little of this is in the caches, not even the code. What is done for an unjudged
// query, as nearly all are, is one function that waits for one line of memory; the rest stands
// apart.

PRESCOPE_QUERY_PATH RankingObserver::RankingObserver(Experiment& experiment,
                                                     const Ranking& ranking) noexcept
    : next_rank_(ranking.first_rank) {
  const Ticks began = ticks_now();
  QueryThread& here = query_thread;
  const ArmIndex arm = here.arm.value_or(ranking.arm);
  if (here.first_unjudged_of == &experiment && !ranking.search_ended && is_on_lanes(arm))
      [[likely]] {
    here.first_unjudged_of = nullptr;
    here.scope->observed_ = true;
    here.lane.push({.latency = began - here.started,
                    .self_ticks = ticks_since(began),
                    .flags = static_cast<std::uint16_t>(ranking.flags),
                    .arm = static_cast<std::uint8_t>(arm.value()),
                    .is_latency_in_ticks = true});
  } else {
    begin(experiment, ranking, began);
  }
}

PRESCOPE_QUERY_PATH std::chrono::nanoseconds RankingObserver::latency(
    QueryScope& scope, const Ranking& ranking) const noexcept {
  return ranking.search_ended.value_or(began_) -
         (scope.take_answer() ? scope.started_ : ranking.search_started);
}

PRESCOPE_QUERY_PATH void RankingObserver::begin(Experiment& experiment, const Ranking& ranking,
                                                std::int64_t began) noexcept {
  began_ = query_clock_at(began);
  Experiment::State& state = *experiment.state_;
  QueryScope* const scope = QueryScope::current_of(experiment);
  if (scope == nullptr) {
    count(state.counters.queries_without_scope);
    return;
  }
  const std::chrono::nanoseconds latency = this->latency(*scope, ranking);
  const ArmIndex arm = scope->arm().value_or(ranking.arm);
  QueryThread& here = query_thread;
  if (here.unjudged_of == &experiment && is_on_lanes(arm) && here.lane.has_room()) {
    return here.lane.push({.latency = latency.count(),
                           .self_ticks = ticks_since(began),
                           .flags = static_cast<std::uint16_t>(ranking.flags),
                           .arm = static_cast<std::uint8_t>(arm.value())});
  }
  state_ = &state;
  state.ring.prefetch();
  if (!state.is_active(arm) || !scope->is_sampled()) return;
  const ResolvedQrels* table = nullptr;
  if (scope->topic() != kUnjudgedTopic) {
    table = table_of(ranking, state);
    match_with(scope->topic(), ranking, table);
  }
  if (!claim(ranking)) return;
  record_->observation.arm = arm;
  record_->observation.flags = ranking.flags | scope->flags_;
  record_->observation.latency = latency;
  describe(ranking, table);
  add(ranking.docids);
  add(ranking.docnos);
}

PRESCOPE_QUERY_PATH void RankingObserver::end() noexcept {
  Observation& observation = record_->observation;
  observation.num_ret = next_rank_ - observation.first_rank;
  observation.self_time = QueryClock::now() - began_;
  state_->commit(*record_);
}

PRESCOPE_QUERY_PATH void RankingObserver::match_with(TopicIndex topic, const Ranking& ranking,
                                                     const ResolvedQrels* table) noexcept {
  const bool by_table = ranking.kind == HitKind::kDocids;
  const JudgedDocnos* judgements = table != nullptr ? &table->judged() : &state_->judged();
  if (topic.value() >= judgements->qrels().topics().size() ||
      (by_table && (table == nullptr || topic.value() >= table->num_topics()))) {
    count(state_->counters.unmatched_rankings);
    return;
  }
  if (by_table) {
    resolved_ = &table->topic(topic);
    __builtin_prefetch(resolved_->entries.data());  // while the adapter reads docids
  }
  topic_ = topic;
  judgements_ = judgements;
  judged_ = &judgements->qrels().topic(topic);
}

PRESCOPE_QUERY_PATH bool RankingObserver::claim(const Ranking& ranking) noexcept {
  Record::Room room;
  if (judged_ != nullptr) {
    const std::uint32_t capture_depth = state_->options.recording.capture_depth;
    room.judgements = judged_->judgements().size();
    (resolved_ != nullptr ? room.docids : room.keys) =
        std::min(ranking.requested_depth, capture_depth);
  }
  record_ = state_->claim(room);
  if (record_ == nullptr) return false;
  if (room.docids + room.keys != 0) {
    record_->captures_docids = resolved_ != nullptr;
    record_->capture_room = static_cast<std::uint32_t>(room.docids + room.keys);
  }
  return true;
}

PRESCOPE_QUERY_PATH void RankingObserver::describe(const Ranking& ranking,
                                                   const ResolvedQrels* table) noexcept {
  Observation& observation = record_->observation;
  observation.topic = topic_;
  if (table != nullptr) {
    observation.generation = table->generation();
    observation.collection_size = table->collection_size();
  } else if (ranking.kind == HitKind::kDocnos) {
    observation.generation = ranking.generation;
    observation.collection_size = ranking.collection_size;
  }
  observation.total_hits = ranking.total_hits;
  observation.first_rank = ranking.first_rank;
  observation.requested_depth = ranking.requested_depth;
  if (judgements_ != nullptr) observation.judgements_version = judgements_->version();
}

PRESCOPE_QUERY_PATH void RankingObserver::add(std::span<const DocId> docids) noexcept {
  const Rank first = next_rank_;
  next_rank_ += static_cast<Rank>(docids.size());
  if (record_ == nullptr || resolved_ == nullptr) return;
  if (const std::size_t room = room_to_capture(first)) {
    const std::size_t taken = std::min(room, docids.size());
    std::copy_n(docids.begin(), taken, record_->docids() + record_->num_captured);
    record_->num_captured += static_cast<std::uint32_t>(taken);
  }
  const std::span<const ResolvedQrels::Entry> entries = resolved_->entries;
  constexpr std::size_t kAtOnce = 1024;
  std::array<std::uint32_t, kAtOnce> positions;
  for (std::size_t begin = 0; begin < docids.size(); begin += kAtOnce) {
    const auto part = docids.subspan(begin, std::min(kAtOnce, docids.size() - begin));
    const std::size_t found = judged_positions(*resolved_, part, positions.data());
    for (std::size_t i = 0; i < found; ++i) {
      const auto entry =
          std::ranges::lower_bound(entries, part[positions[i]], {}, &ResolvedQrels::Entry::docid);
      hit(entry->judgement, first + static_cast<Rank>(begin) + positions[i]);
    }
  }
}

PRESCOPE_QUERY_PATH void RankingObserver::add(std::span<const std::string_view> docnos) noexcept {
  const Rank first = next_rank_;
  next_rank_ += static_cast<Rank>(docnos.size());
  if (record_ == nullptr || judged_ == nullptr || resolved_ != nullptr) return;
  std::size_t room = room_to_capture(first);
  DocnoBuffer buffer;
  for (std::size_t i = 0; i < docnos.size(); ++i) {
    const std::string_view key = judgements_->docnos().key(docnos[i], buffer);
    if (room != 0) {
      record_->keys()[record_->num_captured++] = key_hash(key);
      --room;
    }
    const std::uint32_t found = judgements_->find(key);
    if (found == JudgedDocnos::kNotJudged) continue;
    for (const JudgedDocnos::Use& use : judgements_->uses(found)) {
      if (use.topic == topic_) hit(use.judgement, first + static_cast<Rank>(i));
    }
  }
}

PRESCOPE_QUERY_PATH std::size_t RankingObserver::room_to_capture(Rank next) const noexcept {
  // Hits that were skipped leave nothing to tell the ranks of the hits behind them by.
  const Rank captured_to = record_->observation.first_rank + record_->num_captured;
  return captured_to == next ? record_->capture_room - record_->num_captured : 0;
}

PRESCOPE_QUERY_PATH void RankingObserver::hit(JudgementIndex judgement, Rank rank) noexcept {
  // A document counts at its first rank, however many docids or repeats carry it.
  std::uint64_t& word = record_->seen()[judgement.value() / 64];
  const std::uint64_t bit = std::uint64_t{1} << (judgement.value() % 64);
  if ((word & bit) != 0) {
    ++record_->observation.duplicates;
    return;
  }
  word |= bit;
  record_->hits()[record_->num_hits++] = {rank, judgement};
}

void RankingObserver::abandon() noexcept {
  if (state_ == nullptr) return;
  count(state_->counters.adapter_failures);
  judged_ = nullptr;
  if (record_ == nullptr) return;
  // What is claimed must be committed.
  record_->abandoned = true;
  ObservationRing::commit(reinterpret_cast<std::byte*>(std::exchange(record_, nullptr)));
}

}  // namespace prescope
