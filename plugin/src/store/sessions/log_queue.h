#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "nightly/evaluation_record.h"
#include "prescope/experiment_options.h"
#include "prescope/observation.h"
#include "prescope/observation_log.h"

namespace prescope {

/// Copies of observations, and of what changed between them, in their order. Keeps its room.
class LogBatch {
 public:
  struct Change {
    std::size_t before = 0;  ///< position of the observation that follows it
    ExperimentChange::Kind kind{};
    ArmIndex arm{};
    std::optional<ArmDescription> description{};
    std::uint32_t judgements_version = 0;
  };

  /// What `add` would need more, in bytes.
  [[nodiscard]] static std::size_t bytes_of(const Observation& observation) noexcept;

  /// Strong guarantee.
  void add(const Observation& observation, UtcTime time);
  void add(const ExperimentChange& change);
  void clear() noexcept;

  [[nodiscard]] bool empty() const noexcept { return entries_.empty() && changes_.empty(); }
  /// In observations.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Refers to this batch, which must not change meanwhile.
  [[nodiscard]] Observation observation(std::size_t i) const noexcept;
  [[nodiscard]] UtcTime time(std::size_t i) const noexcept { return entries_[i].time; }
  /// Ascending by position.
  [[nodiscard]] const std::vector<Change>& changes() const noexcept { return changes_; }

 private:
  /// Its spans are empty: they are what begins here.
  struct Entry {
    Observation observation;
    UtcTime time;
    std::size_t hits, docids, keys;
    std::uint32_t num_hits, num_docids, num_keys;
  };

  std::vector<Entry> entries_;
  std::vector<Change> changes_;
  std::vector<JudgedHit> hits_;
  std::vector<DocId> docids_;
  std::vector<std::uint64_t> keys_;
  std::size_t bytes_ = 0;
};

/// Where a LogQueue writes. Used by its thread alone.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// The batch that is to be written, which stays as it is until the next is taken. Where it
  /// throws, it is called again with the same one.
  virtual void take(const LogBatch& batch) = 0;
  /// Writes what was taken, as durably as the log promises. Where it throws, it is called again.
  virtual void write() = 0;
  /// Called now and then while nothing waits. May throw.
  virtual void upkeep() = 0;
  /// Before the end. May throw.
  virtual void close() = 0;
};

/// Throws Error(kUsage), naming every option that is out of range.
void check_log_queue(const LogQueueOptions& options, std::string_view log);

/// Takes observations from the recorder, who never waits for a disk, to a thread that writes them
/// in batches. What cannot be written is kept and tried again, while there is room for what
/// follows.
class LogQueue {
 public:
  /// Throws Error(kIo) where no thread can be started.
  LogQueue(std::unique_ptr<LogSink> sink, const LogQueueOptions& options);
  /// Ends it.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// Counted as dropped where there is no room. One thread at a time.
  void push(const Observation& observation);
  /// Always has room.
  void push(const ExperimentChange& change);
  /// See ObservationLog.
  bool flush();
  /// Writes what is left; what cannot be written now is lost. The sink is gone then.
  void end() noexcept;
  [[nodiscard]] LogProgress progress() const noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void run(const std::stop_token& stop) noexcept;
  [[nodiscard]] bool is_due() const noexcept;
  void write_waiting(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) noexcept;
  [[nodiscard]] bool try_to_write(bool& taken) noexcept;
  void keep_up(std::unique_lock<std::mutex>& lock, void (LogSink::*what)()) noexcept;

  const LogQueueOptions options_;
  std::unique_ptr<LogSink> sink_;  // of the thread

  mutable std::mutex mutex_;  // of all that follows but what is being written
  std::condition_variable_any wake_, written_;
  LogBatch waiting_;
  LogBatch writing_;  // of the thread
  Clock::time_point waiting_since_{};
  LogProgress progress_{};
  std::uint64_t pushed_ = 0, settled_ = 0;  // observations and changes; written or given up
  std::uint64_t attempts_ = 0;              // to write, begun
  std::uint64_t failed_attempt_ = 0;        // the last one that failed, counted from 1
  bool is_failing_ = false;
  bool is_urgent_ = false;  // somebody waits

  std::jthread thread_;  // ends before anything it uses is gone
};

/// A log that writes on a thread of its own, whatever it writes to.
class QueuedLog : public ObservationLog {
 public:
  /// `open` is called once the experiment is there, and throws where the place is of no use.
  using Open = std::function<std::unique_ptr<LogSink>(const Experiment& experiment)>;
  QueuedLog(std::string place, const LogQueueOptions& options, Open open);
  ~QueuedLog() override;

  void begin(const Experiment& experiment) override;
  void record(const Observation& observation) override;
  void change(const ExperimentChange& change) override;
  bool flush() override;
  void end() noexcept override;
  [[nodiscard]] LogProgress progress() const noexcept override;

 private:
  const std::string place_;
  const LogQueueOptions options_;
  const Open open_;
  std::unique_ptr<LogQueue> queue_;  // null before it begins
};

}  // namespace prescope
