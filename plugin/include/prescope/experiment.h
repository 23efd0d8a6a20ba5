#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/experiment_options.h"
#include "prescope/measure.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"
#include "prescope/query_scope.h"
#include "prescope/ranking.h"
#include "prescope/resolved_qrels.h"
#include "prescope/summary.h"

namespace prescope {

/// What became of the rankings that changed judgements concern; counted in (arm, topic).
struct Rejudged {
  std::uint32_t topics = 0;
  /// Scored anew from what was recorded.
  std::uint32_t rescored = 0;
  /// A new document's rank is not known: not captured, or captured as docids of an index that was
  /// not resolved anew yet. No value until that has happened, or the next visit.
  std::uint32_t awaiting = 0;
};

/// The one object a host owns: the judgements, the arms, what has been observed so far.
///
/// `observe` and QueryScope may be used from any number of threads. One recorder thread, started
/// here, moves observations from the query threads into the ledger; it takes none of the host's
/// signals. Must outlive every searcher and scope that refers to it.
class Experiment {
 public:
  /// Throws Error(kUsage) naming every bad option at once, Error(kBadInput) where the qrels have no
  /// topic, Error(kIo) where the system has no thread for it; and what a log or a service throws
  /// that cannot begin.
  Experiment(Qrels qrels, ExperimentOptions options);
  /// Records what is queued, then stops the recorder and ends the logs.
  ~Experiment();
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// As they are now: `rejudge` replaces them. A reference stays valid, and what it refers to as it
  /// was. Lock-free, any thread.
  [[nodiscard]] const Qrels& qrels() const noexcept;
  /// What adapters look up in their index, once per generation and per version. Likewise.
  [[nodiscard]] const JudgedDocnos& judged() const noexcept;

  /// An earlier version, or the current one: `JudgedDocnos::version`. Throws std::out_of_range for
  /// a version that never was. O(versions since), lock-free, any thread.
  [[nodiscard]] const Qrels& qrels(std::uint32_t version) const;
  /// As they were given. Any thread.
  [[nodiscard]] const ExperimentOptions& options() const noexcept;

  /// Every arm there ever was, in the order in which they came. Lock-free, any thread.
  [[nodiscard]] std::span<const ArmId> arms() const noexcept;
  [[nodiscard]] ArmStatus status(ArmIndex arm) const noexcept;
  /// Throws Error(kUsage) with the nearest arm.
  [[nodiscard]] ArmIndex arm(std::string_view name) const;
  /// The same without an exception, for the query path.
  [[nodiscard]] std::optional<ArmIndex> find_arm(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const Measure> measures() const noexcept;

  /// Changes of the arms, each of which begins an epoch (pausing what is paused is no change). What
  /// was observed before is recorded first. Thread-safe, off the query path; throw
  /// Error(kUsage): a name that is empty or taken, a 65th arm, a removed arm, the first arm
  /// removed. A removed name may be added again and gets its old index.
  ArmIndex add_arm(std::string_view name, const ArmDescription& description = {});
  void pause_arm(ArmIndex arm);
  void resume_arm(ArmIndex arm);
  void remove_arm(ArmIndex arm);
  /// The host has changed what the arm does; `now` describes it for logs.
  void restart_arm(ArmIndex arm);
  void restart_arm(ArmIndex arm, const ArmDescription& now);

  /// Replaces judgements of known topics and begins an epoch, into which what was recorded is taken
  /// over, scored anew where it is known to the depth that was captured. Searchers go on being
  /// matched with the judgements that their table was resolved for, until the adapter's index is
  /// reopened. Throws Error(kUsage) as Qrels::with does, and for more judgements of one topic than
  /// fit into a quarter of the queue, with nothing changed. Empty changes are none. Each version is
  /// kept until the experiment ends. Thread-safe, off the query path.
  Rejudged rejudge(const JudgementChanges& changes);

  /// Mode::kSplit: which arm is to serve this topic, or any other unit of traffic, such as the text
  /// of an unjudged query. The same for the same salt, unit and active arms, in every process; an
  /// arm that comes or goes moves only its own topics. Without an active arm, the first. Other
  /// modes: the first arm. Lock-free, no allocation.
  [[nodiscard]] ArmIndex arm_for(std::string_view unit) const noexcept;

  /// Mode::kPaired: whether `shadow` would take this query now, so that a host need not prepare one
  /// for nothing: the topic is judged, another arm is active, the query is sampled, and there is
  /// room. A no is counted by its reason, and the query need not be offered; after a yes, no coin
  /// is tossed for it again. Other modes: false, not counted. Lock-free, no allocation.
  [[nodiscard]] bool wants_shadow(const TopicId& topic) const noexcept;
  /// After the answer has gone out: has `search` called on a thread of the pool, once for each
  /// active arm but `served` (and for `served` too, as ShadowOptions::latency has it), in random
  /// order, each under a QueryScope of its own for the topic and the arm. `search` must search as
  /// the served query did, on the same snapshot, and keep alive what it needs. What it throws is
  /// counted (`Health::shadow_failed`), and the other arms are still run. Latency of these searches
  /// is kept apart from what users waited for. False where it was not taken, which is counted by
  /// its reason. Never throws; locks for as long as moving `search` takes. When the experiment
  /// ends, the searches that run are waited for, and no other begins.
  bool shadow(const TopicId& topic, ArmIndex served,
              std::function<void(ArmIndex arm)> search) noexcept;

  /// A number for `ResolvedQrels::generation()`, distinct in this process. Thread-safe.
  [[nodiscard]] std::uint64_t next_generation() noexcept;
  /// Adapters say here what they resolved, so that the summary can name what is missing and newly
  /// judged documents are found in what was captured. Nothing for a removed arm. Throws
  /// Error(kUsage) for an arm that is not there. Off the query path; thread-safe.
  void set_resolved(ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved);

  /// Records one ranking for the current QueryScope of this thread. Without a scope of this
  /// experiment it only counts the query. Never throws, locks or blocks, and allocates nothing
  /// after the thread's first judged ranking unless changed judgements made a topic larger. When
  /// the queue is full the observation is dropped and counted. About 3 us for 1000 docids.
  void observe(const Ranking& ranking) noexcept;
  /// Adapters say here that a search of the host has failed or timed out without a ranking; the
  /// exception goes on to the host. Counted for the arm, and as a query that never ended in its
  /// latency, so that failing cannot make an arm look faster. As `observe` otherwise.
  enum class SearchFailure { kFailed, kTimedOut };
  void observe_failure(ArmIndex arm, SearchFailure failure) noexcept;
  /// Adapters count here a failure of their own that they kept from the host's search.
  void count_adapter_failure() noexcept;

  /// Waits until everything observed before the call is recorded. Not for the query path.
  void flush();
  /// Everything recorded so far (flushes first). O(topics x arms x measures). Thread-safe.
  [[nodiscard]] std::shared_ptr<const Summary> summary(
      SummaryDetail detail = SummaryDetail::kEveryTopic);
  /// What is known of one topic of the qrels; nothing for another. Flushes first. O(judgements of
  /// the topic x pairs of arms). Thread-safe.
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id);
  /// The newest published summary, at most RecordingOptions::publish_interval old where something
  /// was recorded since; SummaryDetail::kVerdicts. Never null. O(1), any thread, never waits for
  /// the ledger.
  [[nodiscard]] std::shared_ptr<const Summary> latest() const noexcept;

  struct State;

 private:
  friend class RankingObserver;
  friend class QueryScope;
  void begin_logs() const;
  void begin_services();
  void end() noexcept;
  std::unique_ptr<State> state_;
};

/// `Experiment::observe` in parts, for adapters that copy ids through a small buffer instead of
/// allocating: construct it when the engine has answered, `add` the hits in served order, let it go
/// out of scope. Its life is the plugin's own time. The observation is built in memory of the
/// thread and queued at the end, so an adapter may take its time; an unjudged query is recorded
/// when this is constructed. Not thread-safe; lives on the query thread's stack inside one search
/// call, one at a time: a second one on the same thread drops its ranking, which is counted
/// (`Health::dropped_queue_full`).
class RankingObserver {
 public:
  RankingObserver(Experiment& experiment, const Ranking& ranking) noexcept;
  /// False if no hit can matter: no scope, an unjudged topic, an arm that is not active.
  [[nodiscard]] bool wants_hits() const noexcept { return draft_ != nullptr && is_matched(); }
  void add(std::span<const DocId> docids) noexcept;
  void add(std::span<const std::string_view> docnos) noexcept;
  /// Counts hits as served that are not shown.
  void skip(std::uint32_t hits) noexcept { next_rank_ += hits; }
  /// For an adapter that could not read the rest of the hits: nothing of this ranking is recorded,
  /// and the failure is counted (`Health::adapter_failures`). Further hits are not wanted.
  void abandon() noexcept;
  /// Records, unless abandoned.
  ~RankingObserver();
  RankingObserver(const RankingObserver&) = delete;
  RankingObserver& operator=(const RankingObserver&) = delete;

 private:
  struct Draft;
  void begin(Observation facts, TopicIndex topic, const Ranking& ranking) noexcept;
  [[nodiscard]] bool is_matched() const noexcept {
    return resolved_ != nullptr || judged_ != nullptr;
  }

  Experiment::State* state_ = nullptr;  // null: no judged scope of this experiment
  Draft* draft_ = nullptr;              // null: nothing to record
  Rank next_rank_;
  const ResolvedQrels::Topic* resolved_ = nullptr;  // what docids are matched with
  const JudgedDocnos* judged_ = nullptr;            // what docnos are matched with
  std::chrono::steady_clock::time_point began_;
};

}  // namespace prescope
