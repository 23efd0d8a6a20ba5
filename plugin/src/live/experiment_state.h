#pragma once

#include <unistd.h>

#include <list>

#include "live/arms.h"
#include "live/ledger/ledger.h"
#include "live/query_path/announced_visits.h"
#include "live/query_path/health_counts.h"
#include "live/query_path/observation_ring.h"
#include "live/query_path/open_scopes.h"
#include "live/query_path/sampling.h"
#include "live/shadow_pool.h"
#include "live/summary/summarize.h"

namespace prescope {

/// The judgements of an experiment during a period. Immutable.
struct JudgementVersion {
  JudgedDocnos judged;
  std::size_t most_judgements;  ///< no topic has more, and none had in earlier versions
  const JudgementVersion* previous = nullptr;

  explicit JudgementVersion(JudgedDocnos of, const JudgementVersion* before = nullptr);
};

/// Returns how many hits of a ranking may be captured.
[[nodiscard]] inline std::size_t most_captured(const ExperimentOptions& options) noexcept {
  const OverlapOptions& overlap = options.shadow.overlap;
  return std::max(options.recording.capture_depth, overlap.sampling > 0.0 ? overlap.depth : 0);
}

struct ExperimentState {
  ExperimentState(Qrels first, ExperimentOptions of);
  ExperimentState(const ExperimentState&) = delete;
  ExperimentState& operator=(const ExperimentState&) = delete;

  /// Returns the present judgements. Under the ledger mutex they are those of the ledger.
  /// Lock-free.
  [[nodiscard]] const JudgementVersion& current_version() const noexcept {
    return *current.load(std::memory_order_acquire);
  }
  [[nodiscard]] const Qrels& qrels() const noexcept { return current_version().judged.qrels(); }
  /// Returns false also for a topic of other judgements, which these do not have.
  [[nodiscard]] bool is_judged(TopicIndex topic) const noexcept { return qrels().has(topic); }
  /// Query path. Returns the topic that the request names, or kUnjudgedTopic. Lock-free, unless
  /// topics are found as they come; then a text without topic may be a topic's name, too.
  [[nodiscard]] TopicIndex topic_of(const SearchRequest& request) const noexcept;
  /// The newest version for which `matches(version)` holds, or null. O(versions since), lock-free.
  template <class Matches>
  [[nodiscard]] const JudgementVersion* find_version(Matches matches) const noexcept {
    const JudgementVersion* version = &current_version();
    while (version != nullptr && !matches(*version)) version = version->previous;
    return version;
  }
  /// Returns whether the table was resolved for judgements of this experiment. Lock-free.
  [[nodiscard]] bool is_own(const ResolvedQrels& table) const noexcept {
    const auto matches = [&](const JudgementVersion& one) {
      return &one.judged == &table.judged();
    };
    return find_version(matches) != nullptr;
  }

  /// Query path. Returns Outcome::kRecorded or kUnjudged if what was observed is to be recorded.
  /// Otherwise counts the query for the reason that it returns.
  [[nodiscard]] Outcome admitted(const ObservedVisit& of, ArmIndex arm) noexcept;
  /// Query path. Returns the facts that every kind of observation has; `arm` is the searcher's own.
  [[nodiscard]] Observation facts(const ObservedVisit& of, ArmIndex arm,
                                  RankingFlags flags) const noexcept;
  /// Query path. Returns the stage that the ranking or its thread names; a stage without a name is
  /// Stage::kUnnamed.
  [[nodiscard]] Stage stage_of(const Ranking& ranking) const noexcept;
  /// Query path. Sets the latency, or marks it as unknown.
  void set_latency(Observation& facts, const ObservedVisit& of,
                   std::chrono::steady_clock::time_point search_started,
                   std::chrono::steady_clock::time_point ended) noexcept;
  Outcome push_failure(const ObservedVisit& of, ArmIndex arm,
                       Experiment::SearchFailure failure) noexcept;
  /// Query path: queues the fact that a visit was announced and has no answer that was seen, if its
  /// topic is judged and its arm is known.
  void push_unseen(const Visit& visit) noexcept;
  /// Query path: queues the fact that a visit is to be compared, before any arm is searched for it.
  void push_announcement(const Visit& visit, ArmIndex served, std::uint32_t num_arms,
                         RankingFlags more) noexcept;
  /// Query path: queues the fact that some arm's ranking of a visit without judgements is not
  /// waited for any longer.
  void push_given_up(const Visit& visit, std::uint32_t num_arms) noexcept;
  /// Query path: watches the visit of a judged topic until something is observed for it.
  void announce(const Visit& visit) noexcept;
  /// Query path: says that something was observed for the visit. Records an earlier one of the
  /// topic that was announced and left nothing.
  void answered(TopicIndex topic, std::uint64_t visit) noexcept;
  /// Records the visits that were announced and left nothing; see AnnouncedVisits.
  void push_unanswered(AnnouncedVisits::Which which) noexcept;
  /// Query path: queues an observation, and counts it as pushed or dropped (Outcome::kNoRoom).
  Outcome push(const Observation& observation) noexcept;

  /// Returns true in a child of the process that made the experiment. There the recorder and all
  /// other threads are missing, and locks may be held for ever.
  [[nodiscard]] bool is_forked() const noexcept { return ::getpid() != process; }
  /// Throws Error(kUsage) in a child process, and inside a call of the listener or of a log,
  /// because waiting for the recorder would never end there. Everything that takes the ledger mutex
  /// begins with it.
  void refuse_to_hang() const;

  /// Throws as refuse_to_hang.
  void flush();
  /// Locks the ledger mutex for callers other than the recorder, which makes way. Throws as
  /// refuse_to_hang.
  [[nodiscard]] std::unique_lock<std::mutex> locked_ledger();
  /// Locks the ledger mutex after recording everything observed before the call: for changes, which
  /// begin an epoch. Throws as refuse_to_hang.
  [[nodiscard]] std::unique_lock<std::mutex> recorded_so_far();
  /// Begins an epoch in which the change's arm has this status, unless it has it already. Without
  /// a status, the arm restarts.
  void change_arm(const ExperimentChange& change, std::optional<ArmStatus> status = {});

  /// The recorder thread's life.
  void run(const std::stop_token& stop);
  /// Makes the summary whose counters logs store when they end.
  void publish_last() noexcept;

  // The ledger mutex must be held to call these.

  /// Moves all queued observations into the ledger.
  void drain();
  void record(const Observation& observation) noexcept;
  void record_unjudged(const Observation& observation);
  /// Returns the logs that have not ended.
  [[nodiscard]] std::span<const std::shared_ptr<ObservationLog>> open_logs() const noexcept;
  /// Returns true if `latest` does not say how many logs are failing now.
  [[nodiscard]] bool has_log_begun_to_fail() const noexcept;
  /// Makes a summary for `latest` when it is due.
  void publish_when_due() noexcept;
  void look_for_unanswered() noexcept;
  void publish();
  /// Returns `summary_facts`, brought up to date.
  const SummaryFacts& facts_now();
  /// Tells the logs of a change.
  void log(const ExperimentChange& change) noexcept;
  /// Leaves out the visits that began before the arms changed, and logs the change.
  void arms_changed(ExperimentChange change) noexcept;
  /// Keeps the results of an epoch that ends.
  void keep_epoch(const Ledger& ended) noexcept;

  const pid_t process = ::getpid();
  Scorer scorer;  // before the others: the options are checked for it
  ExperimentOptions options;

  std::list<JudgementVersion> versions;  // the first is current
  std::atomic<const JudgementVersion*> current;
  Sampling sampling;
  AnnouncedVisits announced;  // but in Mode::kObserve, which has no verdicts
  ArmTable arms;
  ObservationRing ring;
  HealthCounts counters;                                 // of query threads
  std::atomic<std::uint64_t> visits{0};                  // the newest number
  std::atomic<std::uint64_t> arms_changed_by{0};         // the number of the last change
  std::atomic<UtcTime> arms_changed_at{UtcTime::min()};  // set after its number
  std::atomic<std::uint32_t> index_sources{0};           // see next_generation
  std::atomic<std::uint32_t> index_states{1};            // likewise

  std::mutex judging_mutex;  // one rejudge at a time; taken before the ledger mutex
  std::mutex ledger_mutex;   // of all that follows
  std::atomic<std::uint32_t> waiting_for_ledger{0};
  Ledger ledger;
  Health health;  // counted here: `late_observations` of inactive arms
  std::vector<std::shared_ptr<const ResolvedQrels>> resolved{ArmTable::kMost};  // by arm
  std::vector<std::vector<std::string>> missing_series{ArmTable::kMost};        // likewise
  SummaryFacts summary_facts;  // arms and health are of the last facts_now()
  bool changed_since_published = false;
  bool have_logs_ended = false;
  std::chrono::steady_clock::time_point next_publication{}, next_look_for_unanswered{};

  mutable std::mutex latest_mutex;  // of the pointer
  std::shared_ptr<const Summary> latest;

  std::condition_variable_any wake;
  std::jthread recorder;  // stops before the members that it uses are destroyed

  std::unique_ptr<ShadowPool> shadows;  // null but in Mode::kPaired
  std::vector<std::unique_ptr<ExperimentService>> services;
};

/// Marks that this thread is inside a call of the listener or of a log, with the ledger mutex held.
class CallingOut {
 public:
  explicit CallingOut(const ExperimentState& state) noexcept
      : outer_(std::exchange(now(), &state)) {}
  ~CallingOut() { now() = outer_; }
  CallingOut(const CallingOut&) = delete;
  CallingOut& operator=(const CallingOut&) = delete;

  /// Returns the experiment that calls out on this thread, or null.
  [[nodiscard]] static const ExperimentState*& now() noexcept {
    constinit static thread_local const ExperimentState* calling = nullptr;
    return calling;
  }

 private:
  const ExperimentState* outer_;
};

/// Calls `call`, and raises `failures` if it throws.
template <class Call>
void attempt(std::uint64_t& failures, Call call) noexcept {
  try {
    call();
  } catch (...) {
    ++failures;
  }
}

/// Returns the measures of the options, each once. Throws Error(kUsage) naming all problems of the
/// options, Error(kBadInput) if the qrels have no topic.
[[nodiscard]] std::vector<Measure> checked_measures(const ExperimentOptions& options,
                                                    const Qrels& qrels);

/// Returns the place in `measures` of the measure that verdicts are about.
[[nodiscard]] std::size_t primary_measure(const ExperimentOptions& options,
                                          std::span<const Measure> measures);
/// Fills in the options whose default depends on others or on the time.
[[nodiscard]] ExperimentOptions with_defaults(ExperimentOptions options);

}  // namespace prescope
