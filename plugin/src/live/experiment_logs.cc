// What the logs of an experiment are given, and what became of it.
#include "live/experiment_state.h"
#include "prescope/observation_log.h"

namespace prescope {
namespace {

void end_all(std::span<const std::shared_ptr<ObservationLog>> logs) noexcept {
  for (const auto& log : logs) log->end();
}

}  // namespace

void Experiment::begin_logs() const {
  const std::vector<std::shared_ptr<ObservationLog>>& logs = state_->options.logs;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    try {
      logs[i]->begin(*this);
    } catch (...) {
      end_all(std::span(logs).first(i));
      throw;
    }
  }
}

void Experiment::State::log(const Observation& observation) noexcept {
  for (const auto& log : options.logs) {
    try {
      log->record(observation);
    } catch (...) {
      ++log_failures;
    }
  }
}

void Experiment::State::log(const ExperimentChange& change) noexcept {
  for (const auto& log : options.logs) {
    try {
      log->change(change);
    } catch (...) {
      ++log_failures;
    }
  }
}

void Experiment::State::count_logs(Health& health) const noexcept {
  for (const auto& log : options.logs) {
    const LogProgress progress = log->progress();
    health.log_queue_full += progress.dropped_queue_full;
    health.log_write_failures += progress.dropped_write_failures;
  }
}

}  // namespace prescope
