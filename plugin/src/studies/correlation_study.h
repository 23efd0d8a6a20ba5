#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "statistics/rank_correlation.h"
#include "studies/study_runs.h"

namespace prescope {

/// How alike two measures order the systems of a table.
struct MeasureCorrelation {
  std::size_t x = 0, y = 0;  ///< measures of the table, x < y
  PairCounts pairs{};
  std::optional<double> tau_b{}, tau_a{}, gamma{}, spearman{};
  std::optional<double> tau_ap_of_x{};  ///< x's order, judged by y
  std::optional<double> tau_ap_of_y{};  ///< y's order, judged by x
  std::optional<RankBiasedOverlap> overlap{};
};

struct CorrelationStudy {
  ScoreTable table;
  double persistence = kPersistenceForSystems;     ///< of rank-biased overlap
  std::vector<MeasureCorrelation> correlations{};  ///< all pairs, by x, then y
  std::vector<std::vector<double>> places{};  ///< for each measure, the mid-rank of each system
};

/// Where scores tie and an order is needed (tau_AP, overlap), systems go by their names. The answer
/// does not depend on the order of the systems in the table.
[[nodiscard]] CorrelationStudy study_correlation(ScoreTable table, double persistence);

}  // namespace prescope
