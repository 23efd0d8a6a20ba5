#pragma once

#include "prescope/judged_ranking.h"
#include "prescope/measure.h"
#include "prescope/qrels.h"

namespace prescope {

/// A fixed list of measures, scored together. Immutable, thread-safe.
class Scorer {
 public:
  explicit Scorer(std::vector<Measure> measures) : measures_(std::move(measures)) {}

  [[nodiscard]] std::span<const Measure> measures() const noexcept { return measures_; }
  /// Writes the score of measures()[i] to out[i]; `out` must have as many elements. No allocation.
  void score(const JudgedRanks& ranks, std::span<std::optional<double>> out) const {
    for (std::size_t i = 0; i < measures_.size(); ++i) out[i] = measures_[i].score(ranks);
  }

 private:
  std::vector<Measure> measures_;
};

/// Returns each measure once, in the order of their first places.
[[nodiscard]] std::vector<Measure> distinct(std::span<const Measure> measures);

/// Makes the ranks that measures read out of the judged documents of a ranking. Keeps its buffers,
/// so each thread has its own.
class RankBuffer {
 public:
  /// Reserves room for a topic, so that `of` does not allocate.
  void reserve(const TopicQrels& topic);
  /// `topic`: the judgements that the hits refer to. The views live until the next call.
  [[nodiscard]] JudgedRanks of(const TopicQrels& topic, Grade min_grade,
                               const JudgedRanking& ranking, std::uint64_t collection_size);

 private:
  std::vector<GradedRank> judged_;
  std::vector<Rank> relevant_;
  std::vector<Grade> grades_;
};

}  // namespace prescope
