#include "live/experiment_state.h"
#include "live/summarize.h"
#include "live/topic_detail.h"

namespace prescope {
namespace {

std::vector<ArmFacts> facts_of_arms(const Experiment::State& state) {
  std::vector<ArmFacts> facts;
  for (std::size_t a = 0; a < state.arms.size(); ++a) {
    const ArmIndex arm(static_cast<std::uint32_t>(a));
    facts.push_back({.id = state.arms[a],
                     .status = state.arms.status(arm),
                     .resolved = state.resolved[a].get()});
  }
  return facts;
}

Health health_of(const Experiment::State& state) {
  const QueryPathCounters& c = state.counters;
  Health health{.pushed = c.pushed + state.collected,
                .recorded = state.recorded,
                .dropped_queue_full = c.dropped_queue_full,
                .queries_without_scope = c.queries_without_scope,
                .queries_without_ranking = c.queries_without_ranking,
                .unknown_arm = c.unknown_arm,
                .unmatched_rankings = c.unmatched_rankings,
                .adapter_failures = c.adapter_failures,
                .listener_failures = state.listener_failures,
                .recorder_failures = state.recorder_failures,
                .log_failures = state.log_failures,
                .publish_failures = state.publish_failures,
                .sampled_out = c.sampled_out,
                .inactive_arm = c.inactive_arm,
                .late_observations = state.late_observations};
  state.count_shadows(health);
  state.count_logs(health);
  return health;
}

}  // namespace

Summary summarize(const Experiment::State& state, SummaryDetail detail) {
  const std::vector<ArmFacts> arms = facts_of_arms(state);
  return summarize(state.ledger,
                   {.experiment = state.options.name,
                    .alpha = state.options.alpha,
                    .arms = arms,
                    .past_epochs = {state.past_epochs.begin(), state.past_epochs.end()},
                    .health = health_of(state)},
                   detail);
}

std::shared_ptr<const Summary> Experiment::summary(SummaryDetail detail) {
  state_->flush();
  const auto lock = state_->locked_ledger();
  return std::make_shared<const Summary>(summarize(*state_, detail));
}

std::optional<TopicDetail> Experiment::topic(const TopicId& id) {
  state_->flush();
  const auto lock = state_->locked_ledger();
  return topic_detail(state_->ledger, facts_of_arms(*state_), id);
}

}  // namespace prescope
