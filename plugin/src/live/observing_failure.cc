// The query path of a search that ended without a ranking.
#include "live/current_scope.h"
#include "live/experiment_state.h"
#include "live/processor_counter.h"
#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {

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
