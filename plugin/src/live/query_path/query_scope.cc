#include "prescope/query_scope.h"

#include "live/experiment_state.h"
#include "prescope/experiment.h"

namespace prescope {

namespace {

constinit thread_local QueryScope* innermost = nullptr;

}  // namespace

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic, std::optional<ArmIndex> arm,
                       RankingFlags flags) noexcept
    : experiment_(&experiment),
      outer_(std::exchange(innermost, this)),
      topic_(topic),
      arm_(arm),
      flags_(flags),
      started_(std::chrono::steady_clock::now()) {}

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic) noexcept
    : QueryScope(experiment, topic, std::nullopt, RankingFlags::kNone) {}

QueryScope::QueryScope(Experiment& experiment, std::string_view topic) noexcept
    : QueryScope(experiment, experiment.qrels().find(topic).value_or(kUnjudgedTopic)) {}

QueryScope::QueryScope(Experiment& experiment, const TopicId& topic, const ArmId& arm) noexcept
    : QueryScope(experiment, experiment.qrels().find(topic.text()).value_or(kUnjudgedTopic),
                 experiment.find_arm(arm.text()), RankingFlags::kNone) {
  if (!arm_) count(experiment.state_->counters.unknown_arm);
}

QueryScope::~QueryScope() {
  innermost = outer_;
  if (!observed_) count(experiment_->state_->counters.queries_without_ranking);
}

QueryScope* QueryScope::current() noexcept { return innermost; }

QueryScope* QueryScope::current_of(const Experiment& experiment) noexcept {
  return innermost != nullptr && innermost->experiment_ == &experiment ? innermost : nullptr;
}

bool QueryScope::is_sampled() noexcept {
  if (has(flags_, RankingFlags::kShadow)) return true;
  Experiment::State& state = *experiment_->state_;
  if (!sampled_) sampled_ = state.sampling.takes_next();
  if (!*sampled_) count(state.counters.sampled_out);
  return *sampled_;
}

}  // namespace prescope
