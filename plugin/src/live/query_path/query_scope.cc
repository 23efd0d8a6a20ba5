#include "live/query_path/query_scope.h"

#include "live/experiment_state.h"
#include "live/query_path/processor_counter.h"
#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {

[[gnu::tls_model("initial-exec")]] constinit thread_local QueryThread query_thread;

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic, std::optional<ArmIndex> arm,
                       RankingFlags flags) noexcept
    : experiment_(&experiment),
      outer_(query_thread.scope),
      topic_(topic),
      arm_(arm),
      flags_(flags) {
  const Ticks started = ticks_now();
  started_ = query_clock_at(started);
  if (counter_scale.keeps_time) started_ticks_ = started;
  QueryThread& here = query_thread;
  here.scope = this;
  here.unjudged_of = here.first_unjudged_of = nullptr;
  here.arm = arm;
  Experiment::State& state = *experiment.state_;
  if (topic != kUnjudgedTopic || flags != RankingFlags::kNone || !state.sampling.takes_all() ||
      !state.unjudged_lanes.give(here.lane, here.lane_key)) {
    return;
  }
  here.unjudged_of = &experiment;
  here.started = started;
  if (started_ticks_ && here.lane.has_room()) here.first_unjudged_of = &experiment;
}

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
  QueryThread& here = query_thread;
  here.scope = outer_;
  here.unjudged_of = here.first_unjudged_of = nullptr;
  if (!observed_) count(experiment_->state_->counters.queries_without_ranking);
}

SearchStart SearchStart::now() noexcept {
  SearchStart start(QueryClock::now());
#if defined(__GNUC__) && !defined(__clang__)
  start.offset_ = reinterpret_cast<std::intptr_t>(&query_thread) -
                  reinterpret_cast<std::intptr_t>(__builtin_thread_pointer());
#endif
  return start;
}

QueryScope* QueryScope::current() noexcept { return query_thread.scope; }

bool QueryScope::is_sampled() noexcept {
  Experiment::State& state = *experiment_->state_;
  if (state.sampling.takes_all() || has(flags_, RankingFlags::kShadow)) return true;
  if (!sampled_) sampled_ = state.sampling.takes_next();
  if (!*sampled_) count(state.counters.sampled_out);
  return *sampled_;
}

}  // namespace prescope
