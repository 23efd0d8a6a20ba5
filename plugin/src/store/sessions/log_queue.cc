#include "store/sessions/log_queue.h"

#include <fmt/format.h>
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/threads.h"
#include "base/utc_time.h"
#include "prescope/error.h"

namespace prescope {

namespace {

/// Room for more, without which `insert` would throw between two of them.
template <class T>
void make_room_for(std::vector<T>& all, std::size_t more) {
  if (all.capacity() - all.size() < more) all.reserve(std::max(2 * all.size(), all.size() + more));
}

template <class T>
std::uint32_t append(std::vector<T>& all, std::span<const T> more) noexcept {
  all.insert(all.end(), more.begin(), more.end());
  return static_cast<std::uint32_t>(more.size());
}

}  // namespace

std::size_t LogBatch::bytes_of(const Observation& observation) noexcept {
  return sizeof(Entry) + observation.hits.size_bytes() + observation.captured_docids.size_bytes() +
         observation.captured_keys.size_bytes();
}

void LogBatch::add(const Observation& observation, UtcTime time) {
  make_room_for(entries_, 1);
  make_room_for(hits_, observation.hits.size());
  make_room_for(docids_, observation.captured_docids.size());
  make_room_for(keys_, observation.captured_keys.size());
  Entry entry{.observation = observation,
              .time = time,
              .hits = hits_.size(),
              .docids = docids_.size(),
              .keys = keys_.size(),
              .num_hits = append(hits_, observation.hits),
              .num_docids = append(docids_, observation.captured_docids),
              .num_keys = append(keys_, observation.captured_keys)};
  entry.observation.hits = {};
  entry.observation.captured_docids = {};
  entry.observation.captured_keys = {};
  entries_.push_back(entry);
  bytes_ += bytes_of(observation);
}

void LogBatch::add(const ExperimentChange& change) {
  Change copy{.before = entries_.size(),
              .kind = change.kind,
              .arm = change.arm,
              .judgements_version = change.judgements_version};
  if (change.description != nullptr) copy.description = *change.description;
  changes_.push_back(std::move(copy));
}

void LogBatch::clear() noexcept {
  entries_.clear();
  changes_.clear();
  hits_.clear();
  docids_.clear();
  keys_.clear();
  bytes_ = 0;
}

Observation LogBatch::observation(std::size_t i) const noexcept {
  const Entry& entry = entries_[i];
  Observation observation = entry.observation;
  observation.hits = std::span(hits_).subspan(entry.hits, entry.num_hits);
  observation.captured_docids = std::span(docids_).subspan(entry.docids, entry.num_docids);
  observation.captured_keys = std::span(keys_).subspan(entry.keys, entry.num_keys);
  return observation;
}

namespace {

using std::chrono::milliseconds;

template <class Value>
void check_in(std::string& problems, std::string_view option, Value value, Value least,
              Value most) {
  if (value >= least && value <= most) return;
  problems += fmt::format("{}{} is {}; expected {} to {}", problems.empty() ? "" : "; ", option,
                          value, least, most);
}

}  // namespace

void check_log_queue(const LogQueueOptions& options, std::string_view log) {
  std::string problems;
  constexpr std::size_t kLeastBytes = std::size_t{64} << 10U, kMostBytes = std::size_t{1} << 30U;
  check_in(problems, "queue_bytes", options.queue_bytes, kLeastBytes, kMostBytes);
  check_in(problems, "batch", options.batch, std::size_t{1}, std::size_t{1'000'000});
  check_in<std::int64_t>(problems, "interval in ms", options.interval.count(), 1, 60'000);
  check_in<std::int64_t>(problems, "retry_interval in ms", options.retry_interval.count(), 10,
                         60'000);
  if (!problems.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("options of the log to {}: {}", log, problems));
  }
}

LogQueue::LogQueue(std::unique_ptr<LogSink> sink, const LogQueueOptions& options)
    : options_(options), sink_(std::move(sink)) {
  thread_ = start_thread("prescope-log", [this](const std::stop_token& stop) { run(stop); });
}

LogQueue::~LogQueue() { end(); }

void LogQueue::push(const Observation& observation) {
  const UtcTime now = utc_now();
  const std::lock_guard lock(mutex_);
  if (waiting_.bytes() + LogBatch::bytes_of(observation) > options_.queue_bytes) {
    ++(is_failing_ ? progress_.dropped_write_failures : progress_.dropped_queue_full);
    return;
  }
  const bool is_first = waiting_.empty();
  waiting_.add(observation, now);
  ++progress_.accepted;
  ++pushed_;
  if (is_first) waiting_since_ = Clock::now();
  if (is_first || waiting_.size() == options_.batch) wake_.notify_one();
}

void LogQueue::push(const ExperimentChange& change) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) waiting_since_ = Clock::now();
  waiting_.add(change);
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

void LogQueue::end() noexcept {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  sink_.reset();
}

LogProgress LogQueue::progress() const noexcept {
  const std::lock_guard lock(mutex_);
  return progress_;
}

bool LogQueue::is_due() const noexcept {
  return waiting_.size() >= options_.batch || is_urgent_ ||
         (!waiting_.empty() && Clock::now() >= waiting_since_ + options_.interval);
}

void LogQueue::run(const std::stop_token& stop) noexcept {
  constexpr milliseconds kUpkeep{200};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Clock::time_point until =
        waiting_.empty() ? Clock::now() + kUpkeep : waiting_since_ + options_.interval;
    wake_.wait_until(lock, stop, until, [this] { return is_due(); });
    if (is_due()) {
      write_waiting(lock, stop);
    } else if (waiting_.empty()) {
      keep_up(lock, &LogSink::upkeep);
    }
  }
  write_waiting(lock, stop);
  keep_up(lock, &LogSink::close);
}

/// The lock is let go while the disk is waited for.
void LogQueue::write_waiting(std::unique_lock<std::mutex>& lock,
                             const std::stop_token& stop) noexcept {
  is_urgent_ = false;
  std::swap(waiting_, writing_);
  bool taken = false, written = writing_.empty();
  while (!written) {
    const bool was_urgent = std::exchange(is_urgent_, false);
    ++attempts_;
    lock.unlock();
    written = try_to_write(taken);
    lock.lock();
    is_failing_ = !written;
    if (written) {
      progress_.acknowledged += writing_.size();
      is_urgent_ = is_urgent_ || was_urgent;  // for what came meanwhile
    } else if (stop.stop_requested()) {
      progress_.dropped_write_failures += writing_.size();
      break;
    } else {
      failed_attempt_ = attempts_;
      written_.notify_all();
      wake_.wait_for(lock, stop, options_.retry_interval, [this] { return is_urgent_; });
    }
  }
  settled_ += writing_.size() + writing_.changes().size();
  writing_.clear();
  written_.notify_all();
}

bool LogQueue::try_to_write(bool& taken) noexcept {
  try {
    if (!taken) sink_->take(writing_);
    taken = true;
    sink_->write();
    return true;
  } catch (...) {
    return false;
  }
}

void LogQueue::keep_up(std::unique_lock<std::mutex>& lock, void (LogSink::*what)()) noexcept {
  lock.unlock();
  try {
    (*sink_.*what)();
  } catch (...) {
    // What it would have done is done the next time, or when the place is opened again.
  }
  lock.lock();
}

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
