// The query path of a search that ended without a ranking.
#include "live/experiment_state.h"
#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {

void Experiment::observe_failure(ArmIndex arm, SearchFailure failure) noexcept {
  const auto began = QueryClock::now();
  QueryScope* scope = QueryScope::current_of(*this);
  const bool is_first = scope != nullptr && scope->take_answer();
  const ArmIndex of = scope != nullptr ? scope->arm().value_or(arm) : arm;
  if (!state_->is_active(of) || !(scope != nullptr ? scope->is_sampled() : state_->is_sampled())) {
    return;
  }
  RankingObserver::Record* record = state_->claim({});
  if (record == nullptr) return;
  Observation& observation = record->observation;
  observation.arm = of;
  observation.flags =
      failure == SearchFailure::kTimedOut ? RankingFlags::kTimedOut : RankingFlags::kFailed;
  if (scope != nullptr) {
    observation.topic = scope->topic();
    observation.flags = observation.flags | scope->flags_;
    observation.judgements_version = state_->judged().version();
  }
  if (is_first) observation.latency = began - scope->started_;
  observation.self_time = QueryClock::now() - began;
  state_->commit(*record);
}

}  // namespace prescope
