#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "prescope/observation.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
/// Logs of a running experiment's observations; see ExperimentOptions::logs.
namespace prescope {

class Experiment;
struct ArmDescription;

/// A change of an experiment between two observations, which begins an epoch.
struct ExperimentChange {
  enum class Kind {
    kArmAdded,  ///< new, or removed before
    kArmPaused,
    kArmResumed,
    kArmRemoved,
    kArmRestarted,
    kJudgements,  ///< `Experiment::qrels(judgements_version)` from now on
  };
  Kind kind = Kind::kArmAdded;
  ArmIndex arm{};  ///< the arm that changed
  const ArmDescription* description =
      nullptr;  ///< of an arm added or restarted; null if it did not change
  /// The newest Visit::number when the arms changed. Visits up to it are in no score of the new
  /// epoch.
  std::uint64_t newest_visit = 0;
  std::uint32_t judgements_version = 0;
  std::uint64_t decision = 0;  ///< number of the fleet's decision that restarted the arm; 0: none
};

/// What the first arm's ranking and another arm's have in common in a visit without judgements.
struct PairOverlap {
  /// What became of the pair. Only kCompared has values.
  enum class State : std::uint8_t {
    kCompared,
    kEmpty,       ///< neither arm had a hit
    kShallow,     ///< a ranking is not known down to OverlapOptions::depth, and had not ended
    kOtherIndex,  ///< docids of different indexes, or of different states of one index
    kLeftOut,     ///< sorted, filtered or collapsed for the user, see RecordingOptions
    kIncomplete,  ///< an arm has no ranking from rank 1 on
  };
  ArmIndex b{};  ///< compared with the first arm
  State state = State::kIncomplete;
  bool has_failed_a = false, has_failed_b = false;  ///< a search that failed is an empty ranking
  bool is_identical = false;                        ///< the same documents in the same order
  double jaccard = 0.0, rbo = 0.0;
  std::uint32_t depth = 0;  ///< of a shallow pair: the ranks that both are known down to
  friend bool operator==(const PairOverlap&, const PairOverlap&) = default;
};

/// The overlap of the arms' rankings in one visit without judgements; see OverlapOptions.
struct VisitOverlap {
  UtcTime time{};
  std::uint64_t visit = 0;       ///< Visit::number
  std::uint64_t request_id = 0;  ///< Visit::request_id
  std::uint64_t epoch = 1;       ///< Epoch::number
  std::string query{};           ///< see QueryText
  std::vector<PairOverlap> pairs{};
  friend bool operator==(const VisitOverlap&, const VisitOverlap&) = default;
};

/// The progress of a log. Accepted observations are numbered from 1 in the order of recording.
struct LogProgress {
  std::uint64_t accepted = 0;
  std::uint64_t acknowledged = 0;  ///< all up to this number are as durable as the log promises
  std::uint64_t dropped_queue_full = 0;      ///< not accepted, because the log writes too slowly
  std::uint64_t dropped_write_failures = 0;  ///< lost, because no write succeeded for too long
  /// Acknowledged into a store's file that was then removed, moved or replaced.
  std::uint64_t lost_with_file = 0;
  std::uint64_t waiting = 0;  ///< accepted, not written yet; lost if no write succeeds
  bool is_failing = false;    ///< the last write failed
};

/// Writes down what an experiment records. An experiment calls all but `flush` and `progress` on
/// its recorder thread, or while that thread waits, so they must not wait for a disk. If they
/// throw, that is counted (`Health::log_failures`). A log serves one experiment.
class ObservationLog {
 public:
  ObservationLog() = default;
  virtual ~ObservationLog() = default;
  ObservationLog(const ObservationLog&) = delete;
  ObservationLog& operator=(const ObservationLog&) = delete;

  /// Called before the first observation by the experiment's constructor, which passes on what this
  /// throws. `experiment` outlives `end`.
  virtual void begin(const Experiment& experiment) = 0;
  /// Called in the order of recording, for unjudged queries too.
  virtual void record(const Observation& observation) = 0;
  /// Called for each visit without judgements whose rankings were compared, between the calls of
  /// `record`. Their rankings are passed to no log.
  virtual void record_overlap(const VisitOverlap& /*overlap*/) {}
  /// Called instead of `record` for an observation that no log keeps: its arm was paused or removed
  /// after it was observed, or the logs have ended. May be called after `end`.
  virtual void leave_out(const Observation& /*observation*/) noexcept {}
  /// Called between the observations before the change and those after it.
  virtual void change(const ExperimentChange& change) = 0;
  /// Waits until everything accepted before the call is acknowledged; returns false if it cannot be
  /// written. Any thread.
  virtual bool flush() = 0;
  /// Called after the last observation. Writes the rest, if it can be written.
  virtual void end() noexcept = 0;
  /// Callable on any thread; never waits for a disk.
  [[nodiscard]] virtual LogProgress progress() const noexcept = 0;
};

/// The queue between the recorder and the thread that writes.
struct LogQueueOptions {
  /// Room for observations that wait to be written, [64 KiB, 1 GiB]; what does not fit is dropped
  /// and counted. An observation takes about 200 bytes, 8 for each judged document found, and 4 or
  /// 8 for each hit captured. Memory used is twice this.
  std::size_t queue_bytes = std::size_t{16} << 20U;
  /// Observations are written when this many wait, [1, 1000000], ...
  std::size_t batch = 4096;
  /// ... or the oldest has waited for this time, [1, 60000] ms.
  std::chrono::milliseconds interval{50};
  /// Failed writes are tried again after this time, [10, 60000] ms.
  std::chrono::milliseconds retry_interval{1000};
};

/// Called with a sentence when writing fails, when it succeeds again, and when observations are
/// lost at the end; on the log's thread, or on the one that ends the log.
using LogWarning = std::function<void(const std::string&)>;

/// Called once for each observation of a visit with a `VisitOptions::request_id`: when it is
/// acknowledged, or when it is known that it never will be. On the log's thread or the recorder's;
/// what it throws is ignored. It must not wait for the log. A ranking that is not recorded at all
/// is told by its Outcome.
using LogReceipt = std::function<void(std::uint64_t request_id, bool is_acknowledged)>;

struct StoreLogOptions {
  /// What survives a loss of power. A process that is killed loses nothing acknowledged either way.
  enum class Durability {
    kFull,    ///< everything acknowledged
    kNormal,  ///< all but the last moments: no wait for the disk at each commit
  };
  enum class Unjudged {
    kCounted,  ///< number and latency by hour and arm
    kEachRow,  ///< a row for each too
  };
  LogQueueOptions queue{};
  Durability durability = Durability::kFull;
  Unjudged unjudged = Unjudged::kCounted;
  std::uint32_t captured_hits = 0;  ///< how many of the captured hits are stored, [0, 100000]
  /// How often sums by topic are brought up to date, [100, 3600000] ms.
  std::chrono::milliseconds rollup_interval{10'000};
  LogWarning on_warning{};  ///< empty: standard error
  LogReceipt on_settled{};
};

/// Returns a log that writes to an SQLite store, which is made if it is missing; `docs/formats.md`
/// has its tables. What is acknowledged was committed. If the file is removed, moved or replaced,
/// the store is made or opened anew before anything more is acknowledged, with another session;
/// what was acknowledged before is counted (`LogProgress::lost_with_file`). `begin` throws as
/// `Store::open` does, and Error(kUsage) for options out of range.
[[nodiscard]] std::shared_ptr<ObservationLog> log_to_store(std::filesystem::path path,
                                                           StoreLogOptions options = {});

struct JsonLinesLogOptions {
  LogQueueOptions queue{};
  LogWarning on_warning{};  ///< empty: standard error
  LogReceipt on_settled{};
};

/// Returns a log that appends a line of JSON to a file for each judged query; `docs/logs.md` has
/// its keys. What is acknowledged was given to the operating system. If the file was moved or
/// removed, it is made anew at most a second later. `begin` throws Error: kIo if it cannot be
/// opened, kUsage for options out of range.
[[nodiscard]] std::shared_ptr<ObservationLog> log_to_json_lines(std::filesystem::path path,
                                                                JsonLinesLogOptions options = {});

}  // namespace prescope
#pragma GCC visibility pop
