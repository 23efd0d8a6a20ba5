#pragma once

#include "prescope/measure.h"

namespace prescope::trec_eval {

/// A level's gain as given behind -m: `2=9` in `ndcg.1=3,2=9`.
struct LevelGain {
  Grade level = 0;
  double gain = 0.0;
};

/// A topic's ranking and the best possible one, in gains.
struct GainedRanking {
  struct Served {
    Rank rank = 0;
    double gain = 0.0;  ///< not 0
  };

  std::span<const Served> served{};  ///< ascending by rank
  std::span<const double> ideal{};   ///< descending, all above 0
  std::uint32_t num_ret = 0, num_rel = 0;
};

/// The gains of grades: those given, else the grade itself. Keeps buffers from topic to topic.
class GainScale {
 public:
  explicit GainScale(std::vector<LevelGain> gains) : given_(std::move(gains)) {}

  /// Turns to the next topic; `ranks` is read until the next call.
  void set(const JudgedRanks& ranks);
  /// Views into this object, valid until the next `set`.
  [[nodiscard]] const GainedRanking& ranking() const noexcept { return ranking_; }
  /// The gain of a level that the topic has; 0 for a negative grade.
  [[nodiscard]] double gain(Grade grade) const noexcept;
  /// Least and largest gain of the given levels and those of the topic; least() <= 0 <= most().
  [[nodiscard]] double least() const noexcept { return least_; }
  [[nodiscard]] double most() const noexcept { return most_; }

 private:
  struct Level {
    Grade grade = 0;
    std::uint32_t count = 0;  // judged documents
    double gain = 0.0;
  };

  static void sort_as_qsort(std::span<Level> levels);
  void set_levels(std::span<const Grade> grades);

  std::vector<LevelGain> given_;
  std::vector<Level> levels_;  // best last; if gains were given
  std::vector<GainedRanking::Served> served_;
  std::vector<double> ideal_;
  GainedRanking ranking_;
  double least_ = 0.0, most_ = 0.0;
};

[[nodiscard]] double dcg(const GainedRanking& ranking);
[[nodiscard]] double ideal_dcg(const GainedRanking& ranking);
[[nodiscard]] double ndcg(const GainedRanking& ranking);
/// nDCG averaged over the documents with a gain.
[[nodiscard]] double ndcg_rel(const GainedRanking& ranking);
/// nDCG averaged over the ranks at which the ideal gain falls, and the end if the ranking is longer
/// than the ideal one and one more document.
[[nodiscard]] double r_ndcg(const GainedRanking& ranking);
[[nodiscard]] double gain_at_cost(const GainedRanking& ranking);
void ndcg_cut(const JudgedRanks& ranks, std::span<const std::uint64_t> cutoffs,
              std::span<double> values);

[[nodiscard]] double rbp(const JudgedRanks& ranks, const GainScale& gains, double persistence);
[[nodiscard]] double rbp_resid(const JudgedRanks& ranks, const GainScale&, double persistence);

}  // namespace prescope::trec_eval
