#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/scorer.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"

namespace prescope {

/// What each observation says by itself, whatever was observed before and after it. Keeps its
/// buffers. Not thread-safe.
class ObservationScores {
 public:
  explicit ObservationScores(std::vector<Measure> measures);

  [[nodiscard]] std::span<const Measure> measures() const noexcept { return scorer_.measures(); }
  /// In the order of the measures, valid until the next call. `topic`: the judgements that its hits
  /// refer to. Nothing for a later page, a search without a ranking, and where the ranking was cut
  /// off before the measure's cutoff.
  [[nodiscard]] std::span<const std::optional<double>> of(const Observation& observation,
                                                          const TopicQrels& topic, Grade min_grade);
  /// Ranks of the relevant documents of the last `of`, ascending.
  [[nodiscard]] std::span<const Rank> relevant() const noexcept { return relevant_; }

 private:
  Scorer scorer_;
  std::vector<Rank> relevant_;
  std::vector<GradedRank> judged_;
  std::vector<Grade> grades_;
  std::vector<std::optional<double>> values_;
};

}  // namespace prescope
