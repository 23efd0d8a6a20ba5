// Judgements that change while queries run, and what indexes were resolved for.
#include <fmt/format.h>

#include <utility>

#include "live/experiment_state.h"
#include "prescope/error.h"

namespace prescope {

Rejudged Experiment::rejudge(const JudgementChanges& changes) {
  if (changes.judged.empty() && changes.withdrawn.empty()) return {};
  // The new version is made beside the recorder, which goes on meanwhile.
  const std::lock_guard one_at_a_time(state_->judging_mutex);
  const JudgementVersion& next = state_->judgements.prepare(changes);
  const auto lock = state_->recorded_so_far();
  const Rejudged rejudged = state_->ledger.rejudge(next.judged);
  // Only now: the recorder, which waits, is never given an observation of an unknown version.
  state_->judgements.publish(next);
  return rejudged;
}

void Experiment::set_resolved(ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved) {
  const std::lock_guard lock(state_->ledger_mutex);
  if (arm.value() >= state_->arms.size()) {
    throw Error(ErrorCode::kUsage, fmt::format("arm number {} is not one of the {} arms",
                                               arm.value(), state_->arms.size()));
  }
  if (state_->arms.status(arm) == ArmStatus::kRemoved) return;
  const std::shared_ptr<const ResolvedQrels>& kept = state_->resolved[arm.value()] =
      std::move(resolved);
  if (kept == nullptr || &kept->judged() != &state_->judged()) return;
  state_->ledger.locate(arm, *kept);
  state_->changed_since_published = true;
}

}  // namespace prescope
