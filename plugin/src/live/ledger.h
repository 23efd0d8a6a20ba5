#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/latency_sketch.h"
#include "core/scorer.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"

namespace prescope {

/// What has been observed: per (arm, topic) the facts and scores of the ranking that counts, per
/// arm its latency. Single-threaded; the owner locks.
///
/// The ranking that counts for an (arm, topic) is the last one of the newest generation, unless an
/// earlier one of that generation reached deeper; a later page extends the pages before it.
class Ledger {
 public:
  struct TopicState {
    std::uint64_t visits = 0;
    std::uint64_t timed_visits = 0;  ///< those whose latency is known and the arm's
    std::uint64_t generation = 0;
    std::uint64_t collection_size = 0;
    std::uint32_t covered = 0;  ///< ranks 1..covered are known
    bool exhausted = false;     ///< nothing follows them
    std::vector<JudgedHit> hits;
    std::vector<Rank> relevant_ranks;
    std::vector<std::optional<double>> scores;  ///< in the scorer's order
    std::optional<double> last_latency_ms;
    double sum_log_latency = 0.0;  ///< natural logarithms of milliseconds, over timed visits

    /// False until a ranking counts: later pages alone are visits without scores.
    [[nodiscard]] bool was_seen() const noexcept { return !scores.empty(); }
    /// Whether a measure with this cutoff is known and not only bounded from below.
    [[nodiscard]] bool reaches(Cutoff cutoff) const noexcept {
      return exhausted || covered >= cutoff.value();
    }
  };

  struct ArmState {
    std::vector<TopicState> topics;  ///< by TopicIndex
    std::uint64_t judged_queries = 0, unjudged_queries = 0;
    std::uint64_t retried_queries = 0;  ///< of both
    std::uint64_t duplicate_hits = 0;
    LatencySketch latency;    ///< of all but retried and untimed queries
    LatencySketch self_time;  ///< of judged queries but retried ones
  };

  /// `qrels` and `scorer` must outlive the ledger.
  Ledger(const Qrels& qrels, const Scorer& scorer, std::size_t num_arms);

  /// Amortised O(judged hits x measures). Throws std::bad_alloc only, leaving the ledger usable.
  void record(const Observation& observation);

  [[nodiscard]] const ArmState& arm(ArmIndex i) const noexcept { return arms_[i.value()]; }
  /// Later pages that were left out because the pages before them had not been seen.
  [[nodiscard]] std::uint64_t page_gaps() const noexcept { return page_gaps_; }

 private:
  void take(TopicState& state, const Observation& observation);
  void replace(TopicState& state, const Observation& observation);
  void extend(TopicState& state, const Observation& observation);
  void score(TopicState& state, TopicIndex topic);

  const Qrels* qrels_;
  const Scorer* scorer_;
  std::vector<ArmState> arms_;
  std::vector<std::vector<Grade>> grades_;  // by TopicIndex, descending
  std::vector<GradedRank> judged_;          // of the ranking being scored
  std::uint64_t page_gaps_ = 0;
};

}  // namespace prescope
