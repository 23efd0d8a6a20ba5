#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "prescope/experiment_options.h"

namespace prescope {

/// A copy of an observation, whose spans refer to the vectors beside it.
struct LoggedObservation {
  explicit LoggedObservation(const Observation& of);
  LoggedObservation(LoggedObservation&&) noexcept = default;
  LoggedObservation& operator=(LoggedObservation&&) noexcept = default;

  Observation observation;

 private:
  std::vector<JudgedHit> hits_;
  std::vector<DocId> docids_;
  std::vector<std::uint64_t> keys_;
};

/// Observations, and the changes between them, in order.
struct LogBatch {
  struct Change {
    std::size_t before = 0;     ///< position of the observation that follows it
    ExperimentChange change{};  ///< its `description` is not valid any more
    std::optional<ArmDescription> description{};
  };

  std::vector<LoggedObservation> observations{};
  std::vector<VisitOverlap> overlaps{};  ///< each is of the epoch that it names
  std::vector<Change> changes{};         ///< ascending by position
  std::size_t bytes = 0;                 ///< about, of the observations and the overlaps

  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t size() const noexcept {
    return observations.size() + overlaps.size() + changes.size();
  }
  /// Passes everything to these, in order.
  template <class UseObservation, class UseChange>
  void for_each(const UseObservation& use_observation, const UseChange& use_change) const {
    auto change = changes.begin();
    for (std::size_t i = 0; i <= observations.size(); ++i) {
      for (; change != changes.end() && change->before == i; ++change) use_change(*change);
      if (i < observations.size()) use_observation(observations[i]);
    }
  }
};

/// The place that a LogQueue writes to. Used by its thread alone.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Writes the batch, as durably as the log promises. If it throws, it is called again with the
  /// same batch.
  virtual void write(const LogBatch& batch) = 0;
  /// Called now and then while nothing waits. May throw.
  virtual void upkeep() = 0;
  /// Called before the end. May throw.
  virtual void close() {}
  /// Returns LogProgress::lost_with_file.
  [[nodiscard]] virtual std::uint64_t lost_with_file() const noexcept { return 0; }
};

/// Gives a sentence to the host, or to standard error if the host takes none.
void warn_of_log(const LogWarning& on_warning, const std::string& sentence) noexcept;

/// A log with its own writer thread for any sink, so that the recorder never waits for a disk.
/// Entries that cannot be written are kept and tried again, while there is room for new ones.
class LogQueue final : public ObservationLog {
 public:
  /// `open` throws if the place is of no use. The log outlives what it returns.
  using Open = std::function<std::unique_ptr<LogSink>(const Experiment& experiment,
                                                      const ObservationLog& log)>;
  LogQueue(std::string place, const LogQueueOptions& options, Open open, LogWarning on_warning = {},
           LogReceipt on_settled = {});
  ~LogQueue() override { end(); }

  /// Throws Error(kUsage) for options out of range, and as `open` does.
  void begin(const Experiment& experiment) override;
  /// Begins with an opened sink. Throws Error(kIo) if no thread can be started.
  void begin(std::unique_ptr<LogSink> sink);
  /// Counted as dropped if there is no room. One thread at a time.
  void record(const Observation& observation) override;
  void leave_out(const Observation& observation) noexcept override { settle(observation, false); }
  /// Counted as dropped if there is no room.
  void record_overlap(const VisitOverlap& overlap) override;
  /// Always has room.
  void change(const ExperimentChange& change) override;
  bool flush() override;
  /// Writes the remaining entries; those that cannot be written are lost. The sink is destroyed.
  void end() noexcept override;
  [[nodiscard]] LogProgress progress() const noexcept override;

 private:
  using Clock = std::chrono::steady_clock;

  void run(const std::stop_token& stop) noexcept;
  [[nodiscard]] bool is_due() const noexcept;
  void write_waiting(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) noexcept;
  template <class Use>
  bool use_sink(std::unique_lock<std::mutex>& lock, const Use& use) noexcept;
  void note(std::unique_lock<std::mutex>& lock, const char* failure) noexcept;
  void give_up(std::unique_lock<std::mutex>& lock) noexcept;
  [[nodiscard]] bool take(const Observation& observation);
  [[nodiscard]] bool has_room(std::size_t bytes) noexcept;
  void settle(const Observation& observation, bool is_acknowledged) const noexcept;
  void settle(std::unique_lock<std::mutex>& lock, const LogBatch& batch,
              bool is_acknowledged) const noexcept;
  [[nodiscard]] std::uint64_t waiting() const noexcept {
    return progress_.accepted - progress_.acknowledged - given_up_;
  }
  void warn(const std::string& sentence) const noexcept;

  const std::string place_;
  const LogQueueOptions options_;
  const Open open_;
  const LogWarning on_warning_;
  const LogReceipt on_settled_;
  std::unique_ptr<LogSink> sink_;  // of the thread
  bool is_begun_ = false;

  mutable std::mutex mutex_;  // guards the members below, except the batch being written
  std::condition_variable_any wake_, written_;
  LogBatch waiting_;
  LogBatch writing_;  // of the thread
  Clock::time_point waiting_since_{};
  LogProgress progress_{};
  std::uint64_t pushed_ = 0, settled_ = 0;  // entries of all kinds; written or given up
  std::uint64_t attempts_ = 0;              // to write, begun
  std::uint64_t failed_attempt_ = 0;        // the last one that failed, counted from 1
  std::uint64_t given_up_ = 0;              // of the accepted observations
  bool is_urgent_ = false;                  // a caller waits

  std::jthread thread_;  // ends before anything it uses is gone
};

}  // namespace prescope
