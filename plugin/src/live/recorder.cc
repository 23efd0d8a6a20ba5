// The recorder thread: from queued observations to the ledger and the published summary.

#include "base/errors.h"
#include "base/utc_time.h"
#include "live/experiment_state.h"

namespace prescope {

void ExperimentState::run(const std::stop_token& stop) {
  using std::chrono::milliseconds;
  std::unique_lock lock(ledger_mutex);
  for (bool goes_on = true; goes_on;) {
    // A queue that is half full is drained at once.
    const bool is_pressing = ring.claimed() - ring.drained() > ring.capacity() / 2;
    const milliseconds pause = is_pressing ? milliseconds(1) : options.recording.drain_interval;
    wake.wait_for(lock, stop, pause, [] { return false; });
    // Makes way, because the mutex is not fair: a waiting thread would hardly ever get it from a
    // busy recorder.
    for (int i = 0; i < 50 && waiting_for_ledger > 0; ++i) {
      wake.wait_for(lock, stop, milliseconds(1), [] { return false; });
    }
    // Asked before draining, so that all observations before the end are recorded.
    goes_on = !stop.stop_requested();
    look_for_unanswered();
    drain();
    publish_when_due();
  }
}

void ExperimentState::refuse_to_hang() const {
  if (CallingOut::now() == this) {
    throw usage_error(
        "experiment '{}': on_observation and logs run while observations are being recorded, and "
        "must not wait for that to end; call latest(), or call this on another thread",
        options.name);
  }
  if (is_forked()) {
    throw usage_error(
        "experiment '{}': the process has forked, and a child records nothing; make a new "
        "Experiment in the child",
        options.name);
  }
}

void ExperimentState::flush() {
  refuse_to_hang();
  const std::uint64_t target = ring.claimed();
  while (ring.drained() < target) {
    {
      const auto lock = locked_ledger();
      drain();
    }
    // A query thread may be between claiming and committing.
    std::this_thread::yield();
  }
  // The recorder may still be inside the last record that it drained.
  const auto lock = locked_ledger();
}

std::unique_lock<std::mutex> ExperimentState::locked_ledger() {
  refuse_to_hang();
  ++waiting_for_ledger;
  std::unique_lock lock(ledger_mutex);
  --waiting_for_ledger;
  return lock;
}

std::unique_lock<std::mutex> ExperimentState::recorded_so_far() {
  flush();
  std::unique_lock lock = locked_ledger();
  drain();
  changed_since_published = true;
  return lock;
}

void ExperimentState::drain() {
  ring.drain(
      [this](const std::byte* queued) { record(*reinterpret_cast<const Observation*>(queued)); });
}

void ExperimentState::record(const Observation& observation) noexcept {
  changed_since_published = true;
  if (observation.topic == kUnjudgedTopic && is_comparison(observation)) {
    attempt(health.recorder_failures, [&] { record_unjudged(observation); });
    return;
  }
  if (arms.status(observation.arm) != ArmStatus::kActive) {  // since it was queued
    ++health.late_observations;
    ++health.recorded;
    for (const auto& log : options.logs) log->leave_out(observation);
    return;
  }
  Observation recorded = observation;
  if (recorded.time == UtcTime()) recorded.time = utc_now();
  attempt(health.recorder_failures, [&] {
    const Ledger::Placement placement = ledger.record(observation);
    recorded.visit = placement.visit;
    recorded.covered = placement.covered;
    recorded.exhausted = placement.is_exhausted;
    ++health.recorded;
  });
  const CallingOut here(*this);
  if (options.on_observation) {
    attempt(health.listener_failures, [&] { options.on_observation(recorded); });
  }
  for (const auto& log : open_logs()) {
    attempt(health.log_failures, [&] { log->record(recorded); });
  }
  if (!have_logs_ended) return;
  health.log_write_failures += options.logs.size();
  for (const auto& log : options.logs) log->leave_out(recorded);
}

/// Rankings of unjudged visits are in no score, so that listeners and logs get their overlap only.
void ExperimentState::record_unjudged(const Observation& observation) {
  Observation recorded = observation;
  if (recorded.time == UtcTime()) recorded.time = utc_now();
  const auto is_active = [this](ArmIndex arm) { return arms.status(arm) == ArmStatus::kActive; };
  const std::vector<VisitOverlap> done = ledger.record_unjudged(recorded, is_active);
  ++health.recorded;
  const CallingOut here(*this);
  for (const VisitOverlap& visit : done) {
    for (const auto& log : open_logs()) {
      attempt(health.log_failures, [&] { log->record_overlap(visit); });
    }
  }
}

/// A request that takes longer than this is waited for in vain.
void ExperimentState::look_for_unanswered() noexcept {
  constexpr std::chrono::seconds kLongestRequest{30};
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_for_unanswered) return;
  next_look_for_unanswered = now + kLongestRequest;
  push_unanswered(AnnouncedVisits::Which::kSinceLastTime);
}

void ExperimentState::publish_when_due() noexcept {
  if (std::chrono::steady_clock::now() < next_publication) return;
  if (!changed_since_published && !has_log_begun_to_fail()) return;
  attempt(health.publish_failures, [&] { publish(); });
}

std::span<const std::shared_ptr<ObservationLog>> ExperimentState::open_logs() const noexcept {
  return std::span(options.logs).first(have_logs_ended ? 0 : options.logs.size());
}

bool ExperimentState::has_log_begun_to_fail() const noexcept {
  Health logs;
  for (const auto& log : open_logs()) count_progress(log->progress(), logs);
  return logs.logs_failing != latest->health.logs_failing;
}

void ExperimentState::publish_last() noexcept {
  const std::lock_guard lock(ledger_mutex);
  attempt(health.publish_failures, [&] { publish(); });
}

const SummaryFacts& ExperimentState::facts_now() {
  summary_facts.arms.clear();
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const ResolvedQrels* const index = resolved[a].get();
    summary_facts.arms.push_back({.id = arms[a],
                                  .status = arms.status(ArmIndex(static_cast<std::uint32_t>(a))),
                                  .resolved = index,
                                  .missing_series = missing_series[a]});
    if (index != nullptr) summary_facts.arms.back().relevant_missing = index->relevant_missing();
  }
  Health& counted = summary_facts.health;
  counted = health;
  counters.add_to(counted);
  const Qrels::Lookups lookups = qrels().lookups();
  counted.topics_not_read = lookups.failed;
  counted.topics_without_room = lookups.without_room;
  if (shadows) shadows->count(counted);
  for (const auto& log : options.logs) count_progress(log->progress(), counted);
  return summary_facts;
}

void ExperimentState::publish() {
  next_publication = std::chrono::steady_clock::now() + options.recording.publish_interval;
  auto next =
      std::make_shared<const Summary>(summarize(ledger, facts_now(), SummaryDetail::kVerdicts));
  changed_since_published = false;
  const std::lock_guard lock(latest_mutex);
  latest.swap(next);
}

void ExperimentState::keep_epoch(const Ledger& ended) noexcept {
  announced.begin_epoch();
  attempt(health.publish_failures, [&] {
    static_cast<void>(facts_now());
    prescope::keep_epoch(ended, summary_facts);
  });
}

}  // namespace prescope
