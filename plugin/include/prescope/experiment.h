#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/measure.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"
#include "prescope/query_scope.h"
#include "prescope/ranking.h"
#include "prescope/resolved_qrels.h"
#include "prescope/summary.h"

namespace prescope {

struct ExperimentOptions {
  std::string name = "experiment";
  /// One or more distinct names. The first is the one that the others are compared with.
  std::vector<std::string> arms{};
  /// PRES, R and AP are kept at each of these. In [1, 2^31).
  std::vector<std::uint32_t> cutoffs = {100, 1000};
  /// What to keep instead of PRES, R and AP at the cutoffs, as `Measure::parse` reads it.
  std::vector<std::string> measures{};
  /// Room for observations on their way to the recorder, in bytes, [64 KiB, 1 GiB]; rounded up to a
  /// power of two, and further where the judgements of one topic need it. An observation takes
  /// about 128 bytes plus 8 for each judged document of its topic.
  std::size_t queue_bytes = 4U << 20U;
  /// How often the recorder looks into the queue, [1, 1000] ms.
  std::chrono::milliseconds drain_interval{5};
  /// Called on the recorder thread for each observation, before it enters the summary. What it
  /// throws is counted (`Health::listener_failures`) and goes no further.
  std::function<void(const Observation&)> on_observation{};
};

/// The one object a host owns: the judgements, the arms, what has been observed so far.
///
/// `observe` and QueryScope may be used from any number of threads. One recorder thread, started
/// here, moves observations from the query threads into the ledger. Must outlive every searcher and
/// scope that refers to it.
class Experiment {
 public:
  /// Throws Error(kUsage) naming every bad option at once, Error(kBadInput) where the qrels have no
  /// topic.
  Experiment(Qrels qrels, ExperimentOptions options);
  /// Records what is queued, then stops the recorder.
  ~Experiment();
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  [[nodiscard]] const Qrels& qrels() const noexcept;
  /// What adapters look up in their index, once per generation.
  [[nodiscard]] const JudgedDocnos& judged() const noexcept;
  [[nodiscard]] std::span<const ArmId> arms() const noexcept;
  /// Throws Error(kUsage) with the nearest arm.
  [[nodiscard]] ArmIndex arm(std::string_view name) const;
  /// The same without an exception, for the query path.
  [[nodiscard]] std::optional<ArmIndex> find_arm(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const Measure> measures() const noexcept;

  /// A number for `ResolvedQrels::generation()`, distinct in this process. Thread-safe.
  [[nodiscard]] std::uint64_t next_generation() noexcept;
  /// Adapters say here what they resolved, so that the summary can name what is missing. Off the
  /// query path; thread-safe.
  void set_resolved(ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved);

  /// Records one ranking for the current QueryScope of this thread. Without a scope of this
  /// experiment it only counts the query. Never throws, allocates, locks or blocks; when the queue
  /// is full the observation is dropped and counted. About 2 us for 1000 docids.
  void observe(const Ranking& ranking) noexcept;
  /// Adapters count here a failure of their own that they kept from the host's search.
  void count_adapter_failure() noexcept;

  /// Waits until everything observed before the call is recorded. Not for the query path.
  void flush();
  /// Everything recorded so far (flushes first). O(topics x arms x measures). Thread-safe.
  [[nodiscard]] std::shared_ptr<const Summary> summary();

  struct State;

 private:
  friend class RankingObserver;
  friend class QueryScope;
  std::unique_ptr<State> state_;
};

/// `Experiment::observe` in parts, for adapters that copy ids through a small buffer instead of
/// allocating: construct when the engine has answered, `add` the hits in served order, let it go
/// out of scope. Its life is the plugin's own time. Not thread-safe; lives on the query thread's
/// stack inside one search call.
class RankingObserver {
 public:
  RankingObserver(Experiment& experiment, const Ranking& ranking) noexcept;
  /// False where no hit can matter (no scope, an unjudged topic, a full queue): then `skip` them.
  [[nodiscard]] bool wants_hits() const noexcept {
    return record_ != nullptr && judged_ != nullptr;
  }
  void add(std::span<const DocId> docids) noexcept;
  void add(std::span<const std::string_view> docnos) noexcept;
  /// Counts hits as served without looking at them.
  void skip(std::uint32_t hits) noexcept { next_rank_ += hits; }
  /// For an adapter that could not read the rest of the hits: nothing of this ranking is recorded,
  /// and the failure is counted (`Health::adapter_failures`). Further hits are not wanted.
  void abandon() noexcept;
  /// Records, unless abandoned.
  ~RankingObserver();
  RankingObserver(const RankingObserver&) = delete;
  RankingObserver& operator=(const RankingObserver&) = delete;

  struct Record;

 private:
  void match_with(TopicIndex topic, const Ranking& ranking) noexcept;
  bool claim() noexcept;
  void describe(const Ranking& ranking, std::chrono::nanoseconds latency) noexcept;
  void hit(JudgementIndex judgement, Rank rank) noexcept;

  Experiment::State* state_ = nullptr;  // null: no scope of this experiment
  Record* record_ = nullptr;            // null: nothing to record, or dropped
  TopicIndex topic_ = kUnjudgedTopic;
  const TopicQrels* judged_ = nullptr;              // null: unjudged
  const ResolvedQrels::Topic* resolved_ = nullptr;  // null: docnos, or unjudged
  Rank next_rank_ = 1;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace prescope
