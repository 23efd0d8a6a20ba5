#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "live/arms.h"
#include "live/ledger/ledger.h"
#include "live/query_path/observation_ring.h"
#include "live/shadow_pool.h"
#include "measures/scorer.h"
#include "prescope/experiment.h"

namespace prescope {

/// Counted on query threads; relaxed, because each is only ever summed.
struct alignas(64) QueryPathCounters {
  std::atomic<std::uint64_t> pushed{0};
  std::atomic<std::uint64_t> dropped_queue_full{0};
  std::atomic<std::uint64_t> queries_without_scope{0};
  std::atomic<std::uint64_t> queries_without_ranking{0};
  std::atomic<std::uint64_t> unknown_arm{0};
  std::atomic<std::uint64_t> inactive_arm{0};
  std::atomic<std::uint64_t> sampled_out{0};
  std::atomic<std::uint64_t> unmatched_rankings{0};
  std::atomic<std::uint64_t> adapter_failures{0};
};

inline void count(std::atomic<std::uint64_t>& counter) noexcept {
  counter.fetch_add(1, std::memory_order_relaxed);
}

/// The judgements of an experiment as they were for a time. Immutable.
struct JudgementVersion {
  Qrels qrels;
  JudgedDocnos judged;
  std::size_t most_judgements = 0;  ///< of any one topic
  const JudgementVersion* previous;

  JudgementVersion(Qrels of, std::uint32_t number, const JudgementVersion* before);
};

struct Experiment::State {
  State(Qrels first, ExperimentOptions of);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Judgements as they are now. Under the ledger mutex those of the ledger. Lock-free.
  [[nodiscard]] const JudgementVersion& current_version() const noexcept {
    return *current.load(std::memory_order_acquire);
  }
  [[nodiscard]] const Qrels& qrels() const noexcept { return current_version().qrels; }
  [[nodiscard]] const JudgedDocnos& judged() const noexcept { return current_version().judged; }
  /// Whether it belongs to one of the versions. O(versions since), lock-free.
  [[nodiscard]] bool has_version(const JudgedDocnos& judged) const noexcept;

  /// Query path. False, and counted, if the arm is none of the active ones.
  [[nodiscard]] bool is_active(ArmIndex arm) noexcept;
  /// Query path, without a scope. False, and counted, if chance leaves the query out.
  [[nodiscard]] bool is_sampled() noexcept;
  /// Query path: queues an observation with the time that observing took since it `began`, and
  /// counts it as pushed or dropped.
  void push(Observation observation, std::chrono::steady_clock::time_point began) noexcept;
  /// Keeps arm, latency, own time and flags.
  void push_unjudged(const Observation& facts,
                     std::chrono::steady_clock::time_point began) noexcept;

  void flush();
  /// The ledger mutex for anybody but the recorder, which makes way.
  [[nodiscard]] std::unique_lock<std::mutex> locked_ledger();
  /// The ledger mutex, with everything observed before the call recorded: for changes, which begin
  /// an epoch.
  [[nodiscard]] std::unique_lock<std::mutex> recorded_so_far();
  void change_status(ArmIndex arm, ArmStatus status);
  /// `now` may be null.
  void restart(ArmIndex arm, const ArmDescription* now);

  /// Moves into the ledger what is queued now; the ledger mutex must be held.
  void drain();
  void record(const Observation& observation) noexcept;
  /// Makes a summary for `latest`, where it is time to; the ledger mutex must be held.
  void publish_when_due() noexcept;
  void publish();
  /// Has each log take part; the ledger mutex must be held.
  void log(const Observation& observation) noexcept;
  void log(const ExperimentChange& change) noexcept;
  void count_logs(Health& health) const noexcept;
  /// How far an epoch came that ends; the ledger mutex must be held.
  void keep_epoch(const Ledger& ended) noexcept;
  /// The recorder thread's life.
  void run(const std::stop_token& stop);

  Scorer scorer;  // first: the options are checked for it
  ExperimentOptions options;

  std::vector<std::unique_ptr<const JudgementVersion>> versions;  // the last is current
  std::atomic<const JudgementVersion*> current{nullptr};
  Sampling sampling;
  ArmTable arms;
  ObservationRing ring;
  UnjudgedLanes unjudged_lanes;
  QueryPathCounters counters;
  std::atomic<std::uint64_t> generations{0};

  std::mutex judging_mutex;  // one rejudge at a time; taken before the ledger mutex
  std::mutex ledger_mutex;   // of all that follows
  std::atomic<std::uint32_t> waiting_for_ledger{0};
  Ledger ledger;
  std::uint64_t collected = 0;  // unjudged queries, of the lanes
  std::uint64_t recorded = 0, listener_failures = 0, recorder_failures = 0, publish_failures = 0;
  std::uint64_t log_failures = 0;
  std::uint64_t late_observations =
      0;  // of arms that were paused or removed; the ledger has others
  std::vector<std::shared_ptr<const ResolvedQrels>> resolved{ArmTable::kMost};  // by arm
  std::deque<PastEpoch> past_epochs;                                            // oldest first
  bool changed_since_published = false;
  std::chrono::steady_clock::time_point next_publication{};

  mutable std::mutex latest_mutex;  // of the pointer
  std::shared_ptr<const Summary> latest;

  std::condition_variable_any wake;
  std::jthread recorder;  // stops before anything it uses is gone

  /// Null but in Mode::kPaired.
  [[nodiscard]] std::unique_ptr<ShadowPool> new_shadows(Experiment& experiment) const;
  void count_shadows(Health& health) const noexcept;
  std::unique_ptr<ShadowPool> shadows;  // what it searches is still recorded
  std::vector<std::unique_ptr<ExperimentService>> services;
};

/// Returns the measures that the options ask for, each once. Throws Error(kUsage) naming everything
/// that is wrong with the options, Error(kBadInput) if the qrels have no topic.
[[nodiscard]] std::vector<Measure> checked_measures(const ExperimentOptions& options,
                                                    const Qrels& qrels);

/// The picture of an experiment; the ledger mutex must be held.
Summary summarize(const Experiment::State& state, SummaryDetail detail);

}  // namespace prescope
