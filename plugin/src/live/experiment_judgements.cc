// Judgements that change while queries run, and what indexes were resolved for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "live/experiment_state.h"
#include "prescope/error.h"

namespace prescope {

namespace {

void refuse_what_the_queue_cannot_hold(const Qrels& qrels, const Experiment::State& state) {
  if (largest_record(qrels, state.options.recording) <= state.ring.max_record()) return;
  const auto judgements = [](const TopicQrels& topic) { return topic.judgements().size(); };
  const TopicQrels& largest = *std::ranges::max_element(qrels.topics(), {}, judgements);
  throw Error(ErrorCode::kUsage,
              fmt::format("topic '{}' would have {} judgements, more than fit into the queue of {} "
                          "bytes; nothing was changed; begin the experiment with a larger "
                          "queue_bytes",
                          largest.id().text(), judgements(largest), state.ring.capacity()));
}

}  // namespace

Rejudged Experiment::rejudge(const JudgementChanges& changes) {
  if (changes.judged.empty() && changes.withdrawn.empty()) return {};
  // The new version is made beside the recorder, which goes on meanwhile.
  const std::lock_guard one_at_a_time(state_->judging_mutex);
  auto next = state_->judgements.next(changes);
  refuse_what_the_queue_cannot_hold(next->qrels, *state_);
  const auto lock = state_->recorded_so_far();
  const Rejudged rejudged = state_->ledger.rejudge(next->judged);
  // Only now: the recorder, which waits, is never given an observation of an unknown version.
  state_->judgements.publish(std::move(next));
  state_->log({.kind = ExperimentChange::Kind::kJudgements,
               .judgements_version = state_->judged().version()});
  return rejudged;
}

void Experiment::set_resolved(ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved) {
  const auto lock = state_->locked_ledger();
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
