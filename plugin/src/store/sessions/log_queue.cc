#include "store/sessions/log_queue.h"

#include "base/errors.h"
#include "base/threads.h"
#include "live/option_checks.h"

namespace prescope {

LoggedObservation::LoggedObservation(const Observation& of)
    : observation(of),
      hits_(of.hits.begin(), of.hits.end()),
      docids_(of.captured_docids.begin(), of.captured_docids.end()),
      keys_(of.captured_keys.begin(), of.captured_keys.end()) {
  observation.hits = hits_;
  observation.captured_docids = docids_;
  observation.captured_keys = keys_;
}

namespace {

using std::chrono::milliseconds;

std::size_t bytes_of(const Observation& observation) noexcept {
  return sizeof(LoggedObservation) + observation.hits.size_bytes() +
         observation.captured_docids.size_bytes() + observation.captured_keys.size_bytes();
}

/// Throws Error(kUsage), naming every option that is out of range.
void check_queue(const LogQueueOptions& options, std::string_view log) {
  OptionChecks problems;
  constexpr std::size_t kLeastBytes = std::size_t{64} << 10U, kMostBytes = std::size_t{1} << 30U;
  problems.check_range("queue_bytes", options.queue_bytes, kLeastBytes, kMostBytes);
  problems.check_range("batch", options.batch, std::size_t{1}, std::size_t{1'000'000});
  problems.check_range<std::int64_t>("interval in ms", options.interval.count(), 1, 60'000);
  problems.check_range<std::int64_t>("retry_interval in ms", options.retry_interval.count(), 10,
                                     60'000);
  problems.refuse_any(fmt::format("options of the log to {}", log));
}

}  // namespace

LogQueue::LogQueue(std::string place, const LogQueueOptions& options, Open open,
                   LogWarning on_warning, LogReceipt on_settled)
    : place_(std::move(place)),
      options_(options),
      open_(std::move(open)),
      on_warning_(std::move(on_warning)),
      on_settled_(std::move(on_settled)) {}

void LogQueue::begin(const Experiment& experiment) {
  if (is_begun_) {
    throw usage_error("the log to {} serves an experiment already; make one for each", place_);
  }
  check_queue(options_, place_);
  begin(open_(experiment, *this));
}

void LogQueue::begin(std::unique_ptr<LogSink> sink) {
  sink_ = std::move(sink);
  thread_ = start_thread("prescope-log", [this](const std::stop_token& stop) { run(stop); });
  is_begun_ = true;
}

void LogQueue::record(const Observation& observation) {
  bool is_taken = false;
  try {
    is_taken = take(observation);
  } catch (...) {
    settle(observation, false);
    throw;
  }
  if (!is_taken) settle(observation, false);
}

/// Takes the room if there is enough, and counts a loss if not.
bool LogQueue::has_room(std::size_t bytes) noexcept {
  if (waiting_.bytes + bytes > options_.queue_bytes) {
    ++(progress_.is_failing ? progress_.dropped_write_failures : progress_.dropped_queue_full);
    return false;
  }
  waiting_.bytes += bytes;
  return true;
}

void LogQueue::record_overlap(const VisitOverlap& overlap) {
  const std::lock_guard lock(mutex_);
  const std::size_t bytes =
      sizeof(VisitOverlap) + overlap.query.size() + overlap.pairs.size() * sizeof(PairOverlap);
  if (!has_room(bytes)) return;
  const bool is_first = waiting_.empty();
  waiting_.overlaps.push_back(overlap);
  ++pushed_;
  if (!is_first) return;
  waiting_since_ = Clock::now();
  wake_.notify_one();
}

/// Returns false, counted, if there is no room.
bool LogQueue::take(const Observation& observation) {
  const std::lock_guard lock(mutex_);
  if (!has_room(bytes_of(observation))) return false;
  const bool is_first = waiting_.empty();
  waiting_.observations.emplace_back(observation);
  ++progress_.accepted;
  ++pushed_;
  if (is_first) waiting_since_ = Clock::now();
  if (is_first || waiting_.observations.size() == options_.batch) wake_.notify_one();
  return true;
}

/// Tells the host what became of its request.
void LogQueue::settle(const Observation& observation, bool is_acknowledged) const noexcept {
  if (observation.request_id == 0 || !on_settled_) return;
  try {
    on_settled_(observation.request_id, is_acknowledged);
  } catch (...) {  // the host's own
  }
}

/// Lets go of the lock meanwhile. The batch is the caller's own.
void LogQueue::settle(std::unique_lock<std::mutex>& lock, const LogBatch& batch,
                      bool is_acknowledged) const noexcept {
  lock.unlock();
  for (const LoggedObservation& one : batch.observations) settle(one.observation, is_acknowledged);
  lock.lock();
}

void LogQueue::change(const ExperimentChange& change) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) waiting_since_ = Clock::now();
  LogBatch::Change& copy = waiting_.changes.emplace_back();
  copy.before = waiting_.observations.size();
  copy.change = change;
  if (change.description != nullptr) copy.description = *change.description;
  ++pushed_;
  wake_.notify_one();
}

bool LogQueue::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = pushed_, accepted = progress_.accepted, begun = attempts_;
  is_urgent_ = true;
  wake_.notify_one();
  written_.wait(lock, [&] { return settled_ >= target || failed_attempt_ > begun; });
  return settled_ >= target && progress_.acknowledged >= accepted;
}

LogProgress LogQueue::progress() const noexcept {
  const std::lock_guard lock(mutex_);
  LogProgress progress = progress_;
  progress.waiting = waiting();
  return progress;
}

void LogQueue::end() noexcept {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool LogQueue::is_due() const noexcept {
  return waiting_.observations.size() >= options_.batch || is_urgent_ ||
         (!waiting_.empty() && Clock::now() >= waiting_since_ + options_.interval);
}

void LogQueue::run(const std::stop_token& stop) noexcept {
  constexpr milliseconds kUpkeep{200};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const bool was_empty = waiting_.empty();
    const Clock::time_point until =
        was_empty ? Clock::now() + kUpkeep : waiting_since_ + options_.interval;
    // The first entry is due sooner than the upkeep.
    wake_.wait_until(lock, stop, until,
                     [&] { return is_due() || (was_empty && !waiting_.empty()); });
    if (is_due()) {
      write_waiting(lock, stop);
    } else if (waiting_.empty()) {
      use_sink(lock, [](LogSink& sink) { sink.upkeep(); });
    }
  }
  write_waiting(lock, stop);
  const std::uint64_t lost = given_up_;
  use_sink(lock, [](LogSink& sink) { sink.close(); });
  lock.unlock();
  if (lost > 0)
    warn(fmt::format("{} observations are lost, because it could not be written", lost));
  sink_.reset();  // closing writes too, and this thread takes no signals about a full disk
}

void LogQueue::write_waiting(std::unique_lock<std::mutex>& lock,
                             const std::stop_token& stop) noexcept {
  is_urgent_ = false;
  std::swap(waiting_, writing_);
  bool written = writing_.empty();
  while (!written) {
    const bool was_urgent = std::exchange(is_urgent_, false);
    ++attempts_;
    written = use_sink(lock, [this](LogSink& sink) { sink.write(writing_); });
    if (written) {
      progress_.acknowledged += writing_.observations.size();
      settle(lock, writing_, true);
      is_urgent_ = is_urgent_ || was_urgent;  // for entries that came meanwhile
    } else if (stop.stop_requested()) {
      give_up(lock);
      break;
    } else {
      failed_attempt_ = attempts_;
      written_.notify_all();
      wake_.wait_for(lock, stop, options_.retry_interval, [this] { return is_urgent_; });
    }
  }
  settled_ += writing_.size();
  writing_ = {};
  written_.notify_all();
}

/// The entries that still wait may depend on changes in the batch that is lost.
void LogQueue::give_up(std::unique_lock<std::mutex>& lock) noexcept {
  const LogBatch waiting = std::exchange(waiting_, {});
  const std::size_t lost = writing_.observations.size() + waiting.observations.size();
  given_up_ += lost;
  progress_.dropped_write_failures += lost;
  settled_ += waiting.size();
  settle(lock, writing_, false);
  settle(lock, waiting, false);
}

void warn_of_log(const LogWarning& on_warning, const std::string& sentence) noexcept {
  try {
    if (on_warning) {
      on_warning(sentence);
    } else {
      std::fputs(fmt::format("prescope: {}\n", sentence).c_str(), stderr);
    }
  } catch (...) {  // the host's own
  }
}

void LogQueue::warn(const std::string& sentence) const noexcept {
  try {
    warn_of_log(on_warning_, fmt::format("log to {}: {}", place_, sentence));
  } catch (...) {  // without memory
  }
}

/// Takes note of a failure, or of a success if there is none; the first of several is told. What
/// was given up is told at the end.
void LogQueue::note(std::unique_lock<std::mutex>& lock, const char* failure) noexcept {
  if (given_up_ > 0) return;
  const bool is_failing = failure != nullptr;
  if (std::exchange(progress_.is_failing, is_failing) == is_failing) return;
  const std::uint64_t left = waiting();
  lock.unlock();
  warn(is_failing ? fmt::format("cannot be written, and {} observations wait: {}", left, failure)
                  : "is written again");
  lock.lock();
}

/// Lets go of the lock while the disk is waited for. Returns false if `use` threw: it is done the
/// next time, or when the place is opened again.
template <class Use>
bool LogQueue::use_sink(std::unique_lock<std::mutex>& lock, const Use& use) noexcept {
  const auto take = [&](const char* failure) {
    lock.lock();
    progress_.lost_with_file = sink_->lost_with_file();
    note(lock, failure);
    return failure == nullptr;
  };
  lock.unlock();
  try {
    use(*sink_);
  } catch (const std::exception& error) {
    return take(error.what());
  } catch (...) {
    return take("an unknown failure");
  }
  return take(nullptr);
}

}  // namespace prescope
