#pragma once

#include "prescope/experiment_options.h"
#include "prescope/measure.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"
#include "prescope/query_scope.h"
#include "prescope/ranking.h"
#include "prescope/resolved_qrels.h"
#include "prescope/summary.h"
#include "prescope/visit.h"

// Private types. They are outside of the pragma, so the library does not export them.
namespace prescope {
class ShadowPool;
struct ExperimentState;
}  // namespace prescope

#pragma GCC visibility push(default)
namespace prescope {

/// The effect of changed judgements, counted in pairs of arm and topic.
struct Rejudged {
  std::uint32_t topics = 0;
  std::uint32_t rescored = 0;  ///< with what was recorded
  /// Pairs without a value until `set_resolved` or the next visit, because a new document's rank is
  /// not known: it was not captured, or its docid is not resolved yet.
  std::uint32_t awaiting = 0;
};

/// A comparison that takes the rankings of a visit one by one; made by
/// `ExperimentTraffic::begin_comparison`. A value, for one thread at a time.
struct OpenComparison {
  Visit visit{};  ///< its `request_id` may be set before each ranking
  std::optional<ArmIndex> served{};
  std::uint32_t arms = 0;    ///< arms that are compared, with the one that served; 0: none are
  std::uint32_t ranked = 0;  ///< rankings from rank 1 on that were observed for comparison
  std::uint32_t failed = 0;  ///< searches for comparison that failed
  QueryText query{};         ///< names a visit without judgements among the most changed ones
};

/// One group of an experiment's functions, by who calls them. Only an Experiment has such a part.
class ExperimentPart {
 public:
  ExperimentPart(const ExperimentPart&) = delete;
  ExperimentPart& operator=(const ExperimentPart&) = delete;

 protected:
  explicit ExperimentPart(ExperimentState& state) noexcept : state_(&state) {}
  ~ExperimentPart() = default;
  ExperimentState* state_;
};

/// The functions that a host calls to answer its users. Any thread. ServedRequest calls them for
/// hosts that answer a request on one thread.
class ExperimentTraffic : ExperimentPart {
 public:
  /// Returns the arm that is to serve this topic in Mode::kSplit, or any other unit of traffic,
  /// such as the text of an unjudged query. The answer is the same in every process with the same
  /// salt and active arms; an arm that comes or goes moves only its own topics. Returns the first
  /// arm if none is active, and in other modes. Lock-free, no allocation.
  [[nodiscard]] ArmIndex arm_for(std::string_view unit) const noexcept;
  /// Returns the arm that is to serve the request in the experiment's mode. Lock-free, no
  /// allocation.
  [[nodiscard]] ArmIndex arm_for(const SearchRequest& request) const noexcept;

  /// Begins a visit of a user for a topic. A topic that the qrels do not know makes it unjudged.
  /// Lock-free, no allocation.
  [[nodiscard]] Visit visit(const TopicId& topic, const VisitOptions& options = {}) noexcept;
  /// Takes a topic found by a TopicMatcher, or kUnjudgedTopic.
  [[nodiscard]] Visit visit(TopicIndex topic, const VisitOptions& options = {}) noexcept;
  [[nodiscard]] Visit visit(const SearchRequest& request) noexcept;

  /// Returns whether `shadow` would take this visit now: the mode is Mode::kPaired, the topic is
  /// judged or the visit is one for OverlapOptions, another arm is active, the visit is sampled,
  /// and there is room. If not, the reason is
  /// counted, except in other modes, and the visit need not be offered. After true, it is not
  /// sampled again. Lock-free, no allocation.
  [[nodiscard]] bool wants_shadow(const Visit& visit) const noexcept;
  /// Lets a thread of the pool call `search` for each active arm (except for `served` under
  /// Latency::kNotCompared; twice for each under Latency::kBothArmsTwice), in random order, each
  /// call under a QueryScope of the visit. Arms are compared by the visits that all of them ranked.
  /// Call this after the answer has gone out. `search` must search as the served query did, on the
  /// same snapshot, and keep alive what it needs; it may own the experiment. It is timed as a
  /// whole, and recorded by its last ranking, see `observe`. If it throws or observes no ranking,
  /// that is counted (`Health::shadow_failed`), the arm's ranking counts as empty, and the other
  /// arms are still run. The latency of these searches is kept apart from users'. Returns false,
  /// counted by its reason, if the visit was not taken. Locks for as long as moving `search` takes.
  /// An experiment that ends waits for searches that run, and starts no others. `query` is shown
  /// if the visit has no judgements and its rankings differ most; see OverlapOptions.
  bool shadow(const Visit& visit, ArmIndex served, std::function<void(ArmIndex arm)> search,
              std::string_view query = {}) noexcept;
  /// Instead of `shadow`, for a host that has searched for comparison itself, after `wants_shadow`:
  /// records what each active arm found for the visit (under Latency::kNotCompared, each but
  /// `served`, unless the visit has no judgements), all together, once for each visit.
  /// RankingFlags::kFailed or kTimedOut stands for a
  /// search without a ranking. An arm without a ranking makes the comparison incomplete, and is
  /// counted (`Health::shadow_failed`); a second ranking of an arm is not kept. Latency is
  /// `Ranking::latency`, or from `search_started` to `search_ended`, and unknown without an end;
  /// toss the order of the searches if latency is to be compared. Returns what became of the
  /// rankings: kNotCompared, counted by its reason, if the visit is not to be compared. Otherwise
  /// as `observe`.
  Outcome observe_comparison(const Visit& visit, ArmIndex served, std::span<const Ranking> rankings,
                             std::string_view query = {}) noexcept;
  /// Instead of `observe_comparison`, for rankings that come one by one, from another process or
  /// another thread: begins the comparison of the visit, once, with the first of them. `served` may
  /// not be known yet. `OpenComparison::arms` is 0, counted by its reason, if the visit is not to
  /// be compared. Lock-free, no allocation.
  [[nodiscard]] OpenComparison begin_comparison(const Visit& visit, std::optional<ArmIndex> served,
                                                std::string_view query = {}) noexcept;
  /// Records what one arm found. Returns kNotCompared if `OpenComparison::arms` is 0; otherwise as
  /// `observe`.
  Outcome observe(OpenComparison& comparison, const Ranking& ranking) noexcept;
  /// Call this when all rankings are there, or the host waits no longer. If an arm has none, that
  /// is counted (`Health::shadow_failed`), and its ranking may have been anything. A ranking that
  /// comes later counts for the visit all the same.
  void end_comparison(const OpenComparison& comparison) noexcept;

  /// Records one ranking for the current QueryScope of this thread. If its visit has a ranking from
  /// rank 1 on already, another one takes its place, unless only the earlier one is Stage::kServed.
  /// Rankings of other stages are not scored. Without a scope of this experiment it only counts the
  /// query. Never throws, locks or blocks, and allocates nothing after the thread's first judged
  /// ranking unless changed judgements made a topic larger. If the queue is full, the observation
  /// is dropped and counted. About 3 us for 1000 docids.
  Outcome observe(const Ranking& ranking) noexcept;
  /// Records one ranking for a visit, whatever scopes the thread has; for hosts that do not run one
  /// request on a thread. Latency begins with the visit.
  Outcome observe(const Visit& visit, const Ranking& ranking) noexcept;
  /// Records that a search of the host has failed or timed out without a ranking. In the arm's
  /// latency it counts as a query that never ended, so that failing cannot make an arm look faster.
  /// Otherwise as `observe`.
  enum class SearchFailure { kFailed, kTimedOut };
  Outcome observe_failure(ArmIndex arm, SearchFailure failure) noexcept;
  Outcome observe_failure(const Visit& visit, ArmIndex arm, SearchFailure failure) noexcept;

 private:
  friend class RankingObserver;
  using ExperimentPart::ExperimentPart;
};

/// The functions by which an adapter resolves its index and reports what it could not observe. Any
/// thread.
class ExperimentIndexes : ExperimentPart {
 public:
  /// Returns the docnos that an adapter looks up in its index, once per generation and version.
  [[nodiscard]] const JudgedDocnos& judged() const noexcept;
  /// Returns the judgements of a `JudgedDocnos::version`. Throws std::out_of_range. O(versions
  /// since).
  [[nodiscard]] const Qrels& qrels(std::uint32_t version) const;
  /// Returns a number for `ResolvedQrels::generation()`, distinct in this process: of another
  /// index, or of the next state of the index whose generation was `before`. Only a generation that
  /// was replaced by a later one of its index is out of date. Thread-safe.
  [[nodiscard]] std::uint64_t next_generation(std::uint64_t before = 0) noexcept;
  /// Takes the table that an adapter resolved, from which missing documents are known, and newly
  /// judged ones in what was observed before. Ignored for a removed arm. Throws Error(kUsage) for
  /// an unknown arm, and for a table of another experiment. Off the query path; thread-safe.
  void set_resolved(ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved);
  /// Returns the table that `set_resolved` took last for the arm; null if none, as of an engine
  /// that reports docnos. Throws Error(kUsage) for an unknown arm. Off the query path; thread-safe.
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved(ArmIndex arm) const;
  /// Counts a search on a path that an adapter cannot observe (`Health::unobserved_searches`).
  void count_unobserved_search() noexcept;
  /// Counts a failure of an adapter that the adapter kept from the host's search.
  void count_adapter_failure() noexcept;

 private:
  using ExperimentPart::ExperimentPart;
};

/// The functions that change an experiment while it runs. Any thread, off the query path.
class ExperimentControl : ExperimentPart {
 public:
  /// Each of these begins an epoch after recording what was observed before, unless nothing
  /// changes, such as when a paused arm is paused. Visits that began before it are in no score of
  /// the new epoch (`Health::late_observations`). Thread-safe, off the query path. Throws
  /// Error(kUsage) for a name that is empty or taken, a 65th arm, a removed arm, or the first arm
  /// removed. A removed name may be added again and gets its old index.
  ArmIndex add_arm(std::string_view name, const ArmDescription& description = {});
  void pause_arm(ArmIndex arm);
  void resume_arm(ArmIndex arm);
  void remove_arm(ArmIndex arm);
  /// Tells that the host has changed what the arm does; `now` describes it for logs.
  void restart_arm(ArmIndex arm);
  void restart_arm(ArmIndex arm, const ArmDescription& now);
  /// Restarts an arm by a decision of the fleet: servers that did so share their epochs.
  void restart_arm(ArmIndex arm, std::uint64_t decision);

  /// Replaces judgements of known topics and begins an epoch with what was recorded, scored anew as
  /// far as it was captured. Until the adapter's index is reopened, its searchers are matched with
  /// the judgements that their table was resolved for. Throws Error(kUsage), with nothing changed,
  /// as Qrels::with does and if one topic's judgements do not fit into a quarter of the queue. Each
  /// version is kept until the experiment ends. Thread-safe, off the query path.
  Rejudged rejudge(const JudgementChanges& changes);
  /// Waits until no search for comparison waits or runs and its function has been destroyed, so
  /// that the host may destroy what those functions use. Searches that wait are run, unless their
  /// deadline passes first. Visits that other threads offer meanwhile are refused and counted
  /// (`Health::shadow_expired`); afterwards visits are taken again. Returns at once in other modes.
  /// Throws Error(kUsage) inside a search for comparison, and inside a call of the listener or of a
  /// log. Off the query path; thread-safe.
  void drain_shadow();
  /// Flushes, and ends the logs, which write what they still have. Call it before the last summary:
  /// this counts what could not be written (`Health::log_write_failures`), and observations after
  /// the call. Without the call the destructor ends the logs. Once; not for the query path.
  void end_logs();

 private:
  using ExperimentPart::ExperimentPart;
};

/// The functions that return what an experiment has recorded so far. Any thread.
class ExperimentResults : ExperimentPart {
 public:
  /// Flushes, then returns everything recorded so far. O(topics x arms x measures). Thread-safe.
  [[nodiscard]] std::shared_ptr<const Summary> summary(
      SummaryDetail detail = SummaryDetail::kEveryTopic);
  /// Flushes, then returns one topic, or nothing if the qrels do not have it. O(judgements of the
  /// topic x pairs of arms). Thread-safe.
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id);
  /// Returns the newest published summary (SummaryDetail::kVerdicts), at most
  /// RecordingOptions::publish_interval behind, never null. O(1), any thread, never waits for the
  /// ledger.
  [[nodiscard]] std::shared_ptr<const Summary> latest() const noexcept;
  /// Returns the share of the queue that waits for the recorder, in [0, 1]. O(1), any thread, never
  /// waits for the ledger.
  [[nodiscard]] double queue_ratio() const noexcept;
  /// Waits until everything observed before the call is recorded. Not for the query path.
  void flush();

 private:
  using ExperimentPart::ExperimentPart;
};

/// The one object that a host owns. It holds the judgements, the arms and what was observed so far.
/// Its functions are grouped by who calls them.
///
/// One recorder thread moves observations into the ledger; it takes none of the host's signals.
/// Must outlive every searcher, scope and request that refers to it.
class Experiment : public ExperimentTraffic,
                   public ExperimentIndexes,
                   public ExperimentControl,
                   public ExperimentResults {
 public:
  /// Throws Error: kUsage naming every bad option at once, kBadInput if the qrels have no topic,
  /// kIo if no thread can be started. Passes on what a log or a service throws when it begins.
  Experiment(Qrels qrels, ExperimentOptions options);
  /// Records what is queued, then stops the recorder and ends the logs.
  ~Experiment();
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  // Lock-free, any thread:

  /// Returns the current judgements. `rejudge` replaces them; references stay valid and unchanged.
  [[nodiscard]] const Qrels& qrels() const noexcept;
  [[nodiscard]] const ExperimentOptions& options() const noexcept;

  /// Returns every arm there ever was, in the order in which they were added.
  [[nodiscard]] std::span<const ArmId> arms() const noexcept;
  [[nodiscard]] ArmStatus status(ArmIndex arm) const noexcept;
  /// Throws Error(kUsage), naming the nearest arm, if there is none of this name.
  [[nodiscard]] ArmIndex arm(std::string_view name) const;
  /// Returns nothing if there is no such arm; for the query path.
  [[nodiscard]] std::optional<ArmIndex> find_arm(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const Measure> measures() const noexcept;
  /// Returns the stage of this name: "candidates", "served" or one of ExperimentOptions::stages.
  /// Throws Error(kUsage), naming the nearest, if there is none.
  [[nodiscard]] Stage stage(std::string_view name) const;
  using ExperimentIndexes::qrels;

 private:
  friend class QueryScope;
  friend class ShadowPool;
  explicit Experiment(std::unique_ptr<ExperimentState> state);
  void begin_logs() const;
  void end() noexcept;
  std::unique_ptr<ExperimentState> state_;
};

}  // namespace prescope
#pragma GCC visibility pop
