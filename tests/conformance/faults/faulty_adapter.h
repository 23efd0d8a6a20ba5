#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/faults/fault.h"
#include "conformance/faults/memory_engine.h"
#include "prescope/ranking_observer.h"

namespace prescope::conformance {

/// A state of the index with its table.
struct MemoryTarget {
  std::shared_ptr<const MemoryIndex> index;
  std::shared_ptr<const ResolvedQrels> resolved;
  std::uint64_t generation = 0;
  std::uint64_t collection_size = 0;
};

/// The parts of an adapter that its searchers share.
struct MemoryAdapter {
  const MemoryEngine& engine;
  Experiment& experiment;
  HitKind kind;
  Fault fault;
};

/// Searches as the engine does and shows each ranking, correctly except for one fault.
class FaultySearcher {
 public:
  FaultySearcher(const MemoryAdapter& adapter, MemoryTarget target, ArmIndex arm);

  [[nodiscard]] std::vector<MemoryHit> search(const Request& request);
  /// The engine's own state under this searcher, which a host may move on.
  [[nodiscard]] const std::shared_ptr<MemoryView>& view() const noexcept { return view_; }

 private:
  struct Times {
    std::chrono::steady_clock::time_point started, ended;
  };
  [[nodiscard]] bool has(Fault fault) const noexcept { return adapter_.fault == fault; }
  [[nodiscard]] std::vector<MemoryHit> answer(const Request& request);
  void catch_up();
  void allocate_or_lock(const std::vector<MemoryHit>& hits) const;
  [[nodiscard]] Ranking facts(const Request& request, std::size_t served, Times times) const;
  void show(const Ranking& facts, std::span<const MemoryHit> hits) const;
  void add_docids(RankingObserver& observer, std::span<const MemoryHit> hits) const;
  void add_docnos(RankingObserver& observer, std::span<const MemoryHit> hits) const;

  MemoryAdapter adapter_;
  MemoryTarget target_;
  ArmIndex arm_;
  std::shared_ptr<MemoryView> view_;
};

/// The factory of searchers over the newest state that was opened. Thread-safe.
class FaultyIndex {
 public:
  FaultyIndex(const MemoryEngine& engine, Experiment& experiment, HitKind kind, Fault fault);

  bool reopen();
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const;
  [[nodiscard]] FaultySearcher searcher(std::string_view arm) const;

 private:
  [[nodiscard]] bool has(Fault fault) const noexcept { return adapter_.fault == fault; }
  [[nodiscard]] std::uint64_t size_of(const MemoryIndex& index) const;
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolve(const MemoryTarget& target) const;

  MemoryAdapter adapter_;
  mutable std::mutex mutex_;  // over target_
  MemoryTarget target_;
};

}  // namespace prescope::conformance
