#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prescope/judged_ranking.h"
#include "prescope/measure.h"
#include "prescope/qrels.h"

namespace prescope {

class FoundRelevant;

/// A fixed list of measures, scored together: PRES, R and AP at any number of cutoffs come from one
/// pass over the ranks, hit by hit; every other measure from its own formula. Immutable,
/// thread-safe.
class Scorer {
 public:
  explicit Scorer(std::vector<Measure> measures);

  [[nodiscard]] std::span<const Measure> measures() const noexcept { return measures_; }
  /// out[i] is the score of measures()[i], bit for bit `measures()[i].score(ranks)`. `out` must
  /// have as many elements. No allocation.
  void score(const JudgedRanks& ranks, std::span<std::optional<double>> out) const;

 private:
  /// A measure whose value is taken from the one pass when it reaches `last_rank`.
  struct Reading {
    Rank last_rank;
    std::uint32_t measure;  ///< position in measures_
    double (*value)(const FoundRelevant& hits, std::uint32_t num_rel, Rank last_rank);
  };

  std::vector<Measure> measures_;
  std::vector<Reading> one_pass_;            // ascending by last_rank
  std::vector<std::uint32_t> on_their_own_;  // positions in measures_
};

/// Makes the ranks that measures read out of the judged documents of a ranking. Keeps its buffers,
/// so each thread has its own.
class RankBuffer {
 public:
  /// Reserves room for a topic, so that `of` does not allocate.
  void reserve(const TopicQrels& topic);
  /// `topic`: the judgements that the hits refer to. Views into this object, valid until the next
  /// call.
  [[nodiscard]] JudgedRanks of(const TopicQrels& topic, Grade min_grade,
                               const JudgedRanking& ranking, std::uint64_t collection_size);

 private:
  std::vector<GradedRank> judged_;
  std::vector<Rank> relevant_;
  std::vector<Grade> grades_;
};

}  // namespace prescope
