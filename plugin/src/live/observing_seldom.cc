// The query path of rankings of docnos, of those that are captured, and of other rare ones: beside
// the path of the others, so that they do not make it longer.
#include <algorithm>

#include "core/code_placement.h"
#include "core/key_hash.h"
#include "live/experiment_state.h"
#include "live/query_thread.h"
#include "prescope/experiment.h"

namespace prescope {

PRESCOPE_QUERY_PATH_ASIDE bool RankingObserver::push_unjudged(ArmIndex arm, const Ranking& ranking,
                                                              const Latency& latency,
                                                              QueryThread& here) noexcept {
  if (arm.value() >= ArmTable::kMost || !here.lane.has_room()) return false;
  here.lane.push({.latency = latency.value,
                  .self_ticks = UnjudgedQuery::ticks_since(began_),
                  .flags = static_cast<std::uint16_t>(ranking.flags),
                  .arm = static_cast<std::uint8_t>(arm.value()),
                  .is_latency_in_ticks = latency.is_in_ticks});
  return true;
}

PRESCOPE_QUERY_PATH_ASIDE RankingObserver::Latency RankingObserver::latency_by_clock(
    QueryClock::time_point started, const Ranking& ranking) const noexcept {
  const auto ended = ranking.search_ended ? *ranking.search_ended : query_clock_at(began_);
  return {.value = (ended - started).count()};
}

PRESCOPE_QUERY_PATH_ASIDE bool RankingObserver::make_queued_record(
    std::size_t judgements, std::uint32_t requested_depth) noexcept {
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

PRESCOPE_QUERY_PATH_ASIDE void RankingObserver::capture(std::span<const DocId> docids,
                                                        Rank first) noexcept {
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

PRESCOPE_QUERY_PATH_ASIDE void Experiment::State::count_inactive(ArmIndex arm) noexcept {
  count(arm.value() < arms.size() ? counters.inactive_arm : counters.unknown_arm);
}

bool Experiment::State::is_sampled() noexcept {
  if (sampling.takes_next()) return true;
  count(counters.sampled_out);
  return false;
}

PRESCOPE_QUERY_PATH_ASIDE void Experiment::State::abandon(
    RankingObserver::Record& record) noexcept {
  record.abandoned = true;
  counters.pushed.fetch_sub(1, std::memory_order_relaxed);
  hand_over(record);  // what is claimed must be committed
}

}  // namespace prescope
