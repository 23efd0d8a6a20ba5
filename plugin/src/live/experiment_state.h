#pragma once

#include "live/arms.h"
#include "live/ledger/ledger.h"
#include "live/query_path/observation_ring.h"
#include "live/shadow_pool.h"

namespace prescope {

/// Counted on query threads; see Health.
struct alignas(64) QueryPathCounters {
  std::atomic<std::uint64_t> pushed{0}, dropped_queue_full{0}, queries_without_scope{0},
      queries_without_ranking{0}, unknown_arm{0}, inactive_arm{0}, sampled_out{0},
      unmatched_rankings{0}, unobserved_searches{0}, adapter_failures{0};
};

inline void count(std::atomic<std::uint64_t>& counter) noexcept {
  counter.fetch_add(1, std::memory_order_relaxed);
}

/// The judgements of an experiment during a period. Immutable.
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

  /// Returns the present judgements. Under the ledger mutex they are those of the ledger.
  /// Lock-free.
  [[nodiscard]] const JudgementVersion& current_version() const noexcept {
    return *current.load(std::memory_order_acquire);
  }
  /// The newest version for which `matches(version)` holds, or null. O(versions since), lock-free.
  template <class Matches>
  [[nodiscard]] const JudgementVersion* find_version(Matches matches) const noexcept {
    const JudgementVersion* version = &current_version();
    while (version != nullptr && !matches(*version)) version = version->previous;
    return version;
  }

  /// Query path. Returns false, and counts the query, if the arm is not active.
  [[nodiscard]] bool is_active(ArmIndex arm) noexcept;
  /// Query path, without a scope. Returns false, and counts the query, if sampling leaves it out.
  [[nodiscard]] bool is_sampled() noexcept;
  /// Query path: queues an observation with the plugin's own time since it `began`, and counts it
  /// as pushed or dropped.
  void push(Observation& observation, std::chrono::steady_clock::time_point began) noexcept;

  void flush();
  /// Locks the ledger mutex for callers other than the recorder, which makes way.
  [[nodiscard]] std::unique_lock<std::mutex> locked_ledger();
  /// Locks the ledger mutex after recording everything observed before the call: for changes, which
  /// begin an epoch.
  [[nodiscard]] std::unique_lock<std::mutex> recorded_so_far();
  void change_status(ArmIndex arm, ArmStatus status);
  /// `now` may be null.
  void restart(ArmIndex arm, const ArmDescription* now);

  /// Moves all queued observations into the ledger; the ledger mutex must be held.
  void drain();
  void record(const Observation& observation) noexcept;
  /// Makes a summary for `latest` when it is due; the ledger mutex must be held.
  void publish_when_due() noexcept;
  void publish();
  /// Calls `use(log)` for each log and counts those that throw; the ledger mutex must be held.
  template <class Use>
  void for_each_log(Use use) noexcept;
  void log(const ExperimentChange& change) noexcept;
  /// Keeps the results of an epoch that ends; the ledger mutex must be held.
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
  QueryPathCounters counters;
  std::atomic<std::uint64_t> generations{0};

  std::mutex judging_mutex;  // one rejudge at a time; taken before the ledger mutex
  std::mutex ledger_mutex;   // of all that follows
  std::atomic<std::uint32_t> waiting_for_ledger{0};
  Ledger ledger;
  Health health;  // counted here: `late_observations` of inactive arms
  std::vector<std::shared_ptr<const ResolvedQrels>> resolved{ArmTable::kMost};  // by arm
  std::deque<PastEpoch> past_epochs;                                            // oldest first
  bool changed_since_published = false;
  std::chrono::steady_clock::time_point next_publication{};

  mutable std::mutex latest_mutex;  // of the pointer
  std::shared_ptr<const Summary> latest;

  std::condition_variable_any wake;
  std::jthread recorder;  // stops before the members that it uses are destroyed

  std::unique_ptr<ShadowPool> shadows;  // null but in Mode::kPaired
  std::vector<std::unique_ptr<ExperimentService>> services;
};

template <class Use>
void Experiment::State::for_each_log(Use use) noexcept {
  for (const auto& log : options.logs) {
    try {
      use(*log);
    } catch (...) {
      ++health.log_failures;
    }
  }
}

/// Returns the measures of the options, each once. Throws Error(kUsage) naming all problems of the
/// options, Error(kBadInput) if the qrels have no topic.
[[nodiscard]] std::vector<Measure> checked_measures(const ExperimentOptions& options,
                                                    const Qrels& qrels);

/// Makes the summary of an experiment; the ledger mutex must be held.
Summary summarize(const Experiment::State& state, SummaryDetail detail);

}  // namespace prescope
