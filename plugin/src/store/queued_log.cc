#include "store/queued_log.h"

#include <fmt/format.h>

#include <utility>

#include "prescope/error.h"

namespace prescope {

QueuedLog::QueuedLog(std::string place, const LogQueueOptions& options, Open open)
    : place_(std::move(place)), options_(options), open_(std::move(open)) {}

QueuedLog::~QueuedLog() = default;

void QueuedLog::begin(const Experiment& experiment) {
  if (queue_) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the log to {} serves an experiment already; make one for each", place_));
  }
  queue_ = std::make_unique<LogQueue>(open_(experiment), options_);
}

void QueuedLog::record(const Observation& observation) { queue_->push(observation); }
void QueuedLog::change(const ExperimentChange& change) { queue_->push(change); }
bool QueuedLog::flush() { return queue_ == nullptr || queue_->flush(); }
void QueuedLog::end() noexcept { queue_->end(); }
LogProgress QueuedLog::progress() const noexcept {
  return queue_ ? queue_->progress() : LogProgress{};
}

}  // namespace prescope
