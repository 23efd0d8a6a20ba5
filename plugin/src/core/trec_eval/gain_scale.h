#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prescope/measure.h"

namespace prescope::trec_eval {

/// A level's gain as given behind -m: `2=9` in `ndcg.1=3,2=9`.
struct LevelGain {
  Grade level = 0;
  double gain = 0.0;
};

/// A topic's ranking and the best that there could be, in gains.
struct GainedRanking {
  struct Served {
    Rank rank = 0;
    double gain = 0.0;  ///< not 0
  };
  /// So many documents with the same gain, one behind the other.
  struct Block {
    double gain = 0.0;  ///< above 0
    std::uint32_t count = 0;
  };

  std::span<const Served> served{};  ///< ascending by rank
  std::span<const Block> ideal{};    ///< best first
  std::uint32_t num_ret = 0, num_rel = 0;
};

/// What grades are worth: their own value where nothing else was said. Keeps buffers from topic to
/// topic.
class GainScale {
 public:
  GainScale() = default;
  explicit GainScale(std::vector<LevelGain> gains) : given_(std::move(gains)) {}

  /// Turns to the next topic; `ranks` is read until the next call.
  void set(const JudgedRanks& ranks);
  /// Views into this, valid until the next `set`.
  [[nodiscard]] const GainedRanking& ranking() const noexcept { return ranking_; }
  /// The gain of a level that the topic has; 0 of a negative grade.
  [[nodiscard]] double gain(Grade grade) const noexcept;
  /// Over the levels given and those that the topic has; 0 is between them.
  [[nodiscard]] double least() const noexcept { return least_; }
  [[nodiscard]] double most() const noexcept { return most_; }

 private:
  struct Level {
    Grade grade = 0;
    std::uint32_t count = 0;  // judged documents
    double gain = 0.0;
  };

  void set_levels(std::span<const Grade> grades);
  void add_ideal(double gain, std::uint32_t count);

  std::vector<LevelGain> given_;
  std::vector<Level> levels_, spare_;  // best last; of a scale with given gains
  std::vector<GainedRanking::Served> served_;
  std::vector<GainedRanking::Block> ideal_;
  GainedRanking ranking_;
  double least_ = 0.0, most_ = 0.0;
};

}  // namespace prescope::trec_eval
