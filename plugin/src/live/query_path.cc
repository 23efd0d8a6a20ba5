// What every observation passes on its way into the queue.
#include "core/code_placement.h"
#include "live/experiment_state.h"

namespace prescope {

PRESCOPE_QUERY_PATH bool Experiment::State::is_active(ArmIndex arm) noexcept {
  if (arms.status(arm) == ArmStatus::kActive) return true;
  count(arm.value() < arms.size() ? counters.inactive_arm : counters.unknown_arm);
  return false;
}

PRESCOPE_QUERY_PATH bool Experiment::State::is_sampled() noexcept {
  if (sampling.takes_next()) return true;
  count(counters.sampled_out);
  return false;
}

PRESCOPE_QUERY_PATH RankingObserver::Record* Experiment::State::claim(
    const RankingObserver::Record::Room& room) noexcept {
  std::byte* bytes = ring.claim(RankingObserver::Record::bytes(room));
  if (bytes == nullptr) {
    count(counters.dropped_queue_full);
    return nullptr;
  }
  // The bytes are 0, as nearly all of a record is at first; writing them again would fetch lines of
  // the cache that an unjudged query never uses.
  auto* record = reinterpret_cast<RankingObserver::Record*>(bytes);
  record->observation.topic = kUnjudgedTopic;
  record->observation.first_rank = 1;
  if (room.judgements != 0) record->judgements = static_cast<std::uint32_t>(room.judgements);
  return record;
}

PRESCOPE_QUERY_PATH void Experiment::State::commit(RankingObserver::Record& record) noexcept {
  count(counters.pushed);
  ObservationRing::commit(reinterpret_cast<std::byte*>(&record));
}

}  // namespace prescope
