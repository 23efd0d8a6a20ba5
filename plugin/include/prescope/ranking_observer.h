#pragma once

#include <array>
#include <type_traits>

#include "prescope/experiment.h"

// Private types. They are outside of the pragma, so the library does not export them.
namespace prescope {
class ComparedSearch;
struct ObservationDraft;
struct ObservedVisit;
}  // namespace prescope

#pragma GCC visibility push(default)
namespace prescope {

/// `Experiment::observe` in parts, for adapters that copy ids through a small buffer: construct it
/// when the engine has answered, `add` the hits in served order, let it go out of scope. The time
/// between counts as the plugin's own. An unjudged query is recorded by the constructor, others by
/// the destructor, or when their search for comparison ends. The observer must end on its thread.
/// Up to four may be open on a thread, each with a buffer that is allocated when it is first
/// needed; a further one drops its ranking, which is counted (`Health::dropped_queue_full`).
class RankingObserver {
 public:
  /// For the current QueryScope of this thread.
  RankingObserver(ExperimentTraffic& experiment, const Ranking& ranking) noexcept;
  RankingObserver(ExperimentTraffic& experiment, const Visit& visit,
                  const Ranking& ranking) noexcept;
  /// Returns false if no hit can matter: no scope, an unjudged topic, an arm that is not active.
  [[nodiscard]] bool wants_hits() const noexcept { return draft_ != nullptr && is_matched(); }
  void add(std::span<const DocId> docids) noexcept;
  void add(std::span<const std::string_view> docnos) noexcept;
  /// Adds a whole list of hits in served order. `name_of` returns a hit's DocId, or a
  /// std::string_view of its docno that lives as long as the hits. A small buffer on the stack
  /// holds the names, so that no depth needs an allocation. Does nothing if no hit can matter.
  template <class Hits, class NameOf>
  void add_each(const Hits& hits, NameOf name_of) {
    if (!wants_hits()) return;
    using Name = std::decay_t<decltype(name_of(*hits.begin()))>;
    std::array<Name, 128> names;
    std::size_t filled = 0;
    for (const auto& hit : hits) {
      names[filled++] = name_of(hit);
      if (filled < names.size()) continue;
      add(std::span<const Name>(names));
      filled = 0;
    }
    add(std::span<const Name>(names).first(filled));
  }
  /// Counts hits that were served, but are not given to `add`.
  void skip(std::uint32_t hits) noexcept { next_rank_ += hits; }
  /// Drops the ranking and counts it (`Health::adapter_failures`), because the adapter cannot read
  /// the rest of the hits. Further hits are not wanted.
  void abandon() noexcept;
  /// Records, unless abandoned, and says what became of the ranking. A ranking that does not lie
  /// within the ranks 1 to 2^32 - 1 counts as abandoned. Further hits are not wanted.
  Outcome end() noexcept;
  ~RankingObserver() { end(); }
  RankingObserver(const RankingObserver&) = delete;
  RankingObserver& operator=(const RankingObserver&) = delete;

 private:
  friend class ExperimentTraffic;
  /// A ranking for comparison that the host has searched for.
  RankingObserver(ExperimentTraffic& experiment, const ObservedVisit& of,
                  const Ranking& ranking) noexcept;
  void observe(const ObservedVisit& of, const Ranking& ranking) noexcept;
  void begin(Observation facts, TopicIndex topic, const Ranking& ranking) noexcept;
  /// Begins a ranking of an unjudged visit that is compared by its first hits.
  void begin_unjudged(Observation facts, const Ranking& ranking) noexcept;
  void take_draft(const Observation& facts, std::size_t judgements, std::size_t captured,
                  const Ranking& ranking) noexcept;
  void add_collapsed(std::span<const std::string_view> docnos);
  void capture(std::span<const std::string_view> docnos) noexcept;
  [[nodiscard]] bool is_matched() const noexcept {
    return resolved_ != nullptr || judged_ != nullptr || named_by_ != nullptr;
  }

  ExperimentState* state_ = nullptr;   // null: no judged scope of this experiment
  ObservationDraft* draft_ = nullptr;  // null: nothing to record
  ComparedSearch* search_ = nullptr;   // null: for a user
  Outcome outcome_ = Outcome::kNoScope;
  Rank next_rank_;
  std::uint32_t collapsed_ = 0;  // hits of documents that a collapsed ranking has already
  const ResolvedQrels::Topic* resolved_ = nullptr;  // what docids are matched with
  const JudgedDocnos* judged_ = nullptr;            // what docnos are matched with
  const JudgedDocnos* named_by_ = nullptr;  // makes keys; not null in an unjudged comparison
  std::chrono::steady_clock::time_point began_;
};

}  // namespace prescope
#pragma GCC visibility pop
