#include "prescope/query_scope.h"

#include "live/current_scope.h"
#include "live/experiment_state.h"
#include "prescope/experiment.h"

namespace prescope {

constinit thread_local QueryScope* current_scope = nullptr;

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic) noexcept
    : experiment_(&experiment),
      outer_(current_scope),
      topic_(topic),
      started_(std::chrono::steady_clock::now()) {
  current_scope = this;
  Experiment::State& state = *experiment.state_;
  if (topic == kUnjudgedTopic && state.sampling.takes_all()) lane_ = state.unjudged_lanes.mine();
}

QueryScope::QueryScope(Experiment& experiment, std::string_view topic) noexcept
    : QueryScope(experiment, experiment.qrels().find(topic).value_or(kUnjudgedTopic)) {}

QueryScope::QueryScope(Experiment& experiment, const TopicId& topic, const ArmId& arm) noexcept
    : QueryScope(experiment, topic) {
  arm_ = experiment.find_arm(arm.text());
  if (!arm_) count(experiment.state_->counters.unknown_arm);
}

QueryScope::~QueryScope() {
  current_scope = outer_;
  if (!observed_) count(experiment_->state_->counters.queries_without_ranking);
}

QueryScope* QueryScope::current() noexcept { return current_scope; }

QueryScope* QueryScope::current_of(const Experiment& experiment) noexcept {
  return current_scope != nullptr && current_scope->experiment_ == &experiment ? current_scope
                                                                               : nullptr;
}

bool QueryScope::is_sampled() noexcept {
  Experiment::State& state = *experiment_->state_;
  if (state.sampling.takes_all() || has(flags_, RankingFlags::kShadow)) return true;
  if (!sampled_) sampled_ = state.sampling.takes_next();
  if (!*sampled_) count(state.counters.sampled_out);
  return *sampled_;
}

}  // namespace prescope
