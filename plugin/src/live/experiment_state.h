#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/scorer.h"
#include "live/ledger.h"
#include "live/observation_ring.h"
#include "prescope/experiment.h"

namespace prescope {

/// Counted on query threads; relaxed, because each is only ever summed.
struct QueryPathCounters {
  std::atomic<std::uint64_t> pushed{0};
  std::atomic<std::uint64_t> dropped_queue_full{0};
  std::atomic<std::uint64_t> queries_without_scope{0};
  std::atomic<std::uint64_t> queries_without_ranking{0};
  std::atomic<std::uint64_t> unknown_arm{0};
  std::atomic<std::uint64_t> unmatched_rankings{0};
  std::atomic<std::uint64_t> adapter_failures{0};
};

inline void count(std::atomic<std::uint64_t>& counter) noexcept {
  counter.fetch_add(1, std::memory_order_relaxed);
}

/// A queued observation: the header, room for each judgement of the topic as a hit, and a bit for
/// each judgement that has been hit.
struct RankingObserver::Record {
  Observation observation;
  std::uint32_t num_hits = 0;
  std::uint32_t judgements = 0;
  bool abandoned = false;

  [[nodiscard]] static std::size_t bytes(std::size_t judgements) noexcept {
    return sizeof(Record) + judgements * sizeof(JudgedHit) + (judgements + 63) / 64 * 8;
  }
  [[nodiscard]] JudgedHit* hits() noexcept { return reinterpret_cast<JudgedHit*>(this + 1); }
  [[nodiscard]] std::uint64_t* seen() noexcept {
    return reinterpret_cast<std::uint64_t*>(hits() + judgements);
  }
};

struct Experiment::State {
  State(Qrels judgements, const ExperimentOptions& options);

  /// Moves queued observations into the ledger; the ledger mutex must be held.
  void drain();
  void record(RankingObserver::Record& queued) noexcept;
  /// The recorder thread's life.
  void run(const std::stop_token& stop, std::chrono::milliseconds interval);

  std::string name;
  Qrels qrels;
  JudgedDocnos judged;
  std::vector<ArmId> arms;
  Scorer scorer;
  std::function<void(const Observation&)> on_observation;

  ObservationRing ring;
  QueryPathCounters counters;
  std::atomic<std::uint64_t> generations{0};

  std::mutex ledger_mutex;
  Ledger ledger;
  std::uint64_t recorded = 0, listener_failures = 0, recorder_failures = 0;  // under ledger_mutex
  std::vector<std::shared_ptr<const ResolvedQrels>> resolved;                // under ledger_mutex

  std::condition_variable_any wake;
  std::jthread recorder;  // last: stops before anything it uses is gone
};

/// The picture of an experiment; the ledger mutex must be held.
Summary summarize(const Experiment::State& state);

}  // namespace prescope
