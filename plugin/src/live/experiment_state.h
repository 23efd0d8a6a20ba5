#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "judgements/resolved_qrels.h"
#include "live/arms.h"
#include "live/judgement_versions.h"
#include "live/ledger/ledger.h"
#include "live/query_path/observation_record.h"
#include "live/query_path/observation_ring.h"
#include "live/query_path/sampling.h"
#include "live/query_path/unjudged_lanes.h"
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

struct Experiment::State {
  State(Qrels first, ExperimentOptions of);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// As they are now. Under the ledger mutex those of the ledger.
  [[nodiscard]] const Qrels& qrels() const noexcept { return judgements.current().qrels; }
  [[nodiscard]] const JudgedDocnos& judged() const noexcept { return judgements.current().judged; }

  /// Query path. False, and counted, where the arm is none of the active ones.
  [[nodiscard]] bool is_active(ArmIndex arm) noexcept {
    if (arms.status(arm) == ArmStatus::kActive) [[likely]]
      return true;
    count_inactive(arm);
    return false;
  }
  /// Query path, without a scope. False, and counted, where chance leaves the query out.
  [[nodiscard]] bool is_sampled() noexcept;
  /// Query path: a place in the queue for a record with such room, counted as pushed; or null, and
  /// counted, where the queue is full.
  [[nodiscard]] std::byte* claim(const RankingObserver::Record::Room& room) noexcept {
    std::byte* const place = ring.claim(RankingObserver::Record::bytes(room));
    // Before anything is written there: counting would wait for what was.
    count(place != nullptr ? counters.pushed : counters.dropped_queue_full);
    return place;
  }
  /// Query path: tells a record at its place what observing cost since it began, and hands it over.
  void commit(RankingObserver::Record& record, Ticks began) noexcept {
    record.self_ticks = ticks_now() - began;
    hand_over(record);
  }
  /// Query path: takes back a record at its place.
  void abandon(RankingObserver::Record& record) noexcept;
  void hand_over(RankingObserver::Record& record) noexcept {
    ring.commit(reinterpret_cast<std::byte*>(&record),
                RankingObserver::Record::bytes(record.room()));
  }
  void count_inactive(ArmIndex arm) noexcept;

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
  void record(RankingObserver::Record& queued) noexcept;
  void record(const UnjudgedQuery& query) noexcept;
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

  // Together what a query reads.
  alignas(64) JudgementVersions judgements;
  Sampling sampling;
  const std::uint32_t capture_depth;
  const JudgedPositions judged_positions = quickest_judged_positions();
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

/// What the largest observation takes in the queue, in bytes.
[[nodiscard]] std::size_t largest_record(const Qrels& qrels,
                                         const RecordingOptions& recording) noexcept;

/// The picture of an experiment; the ledger mutex must be held.
Summary summarize(const Experiment::State& state, SummaryDetail detail);

}  // namespace prescope
