#pragma once

#include <filesystem>

#include "statistics/rank_correlation.h"

namespace prescope {

/// Scores of several systems by several measures; the higher the better.
struct ScoreTable {
  std::vector<std::string> systems;
  std::vector<std::string> measures;
  std::vector<std::vector<double>> scores;  ///< for each measure, one of each system
};

/// Reads tab-separated lines: a header, whose first column names the systems and the others the
/// measures, then a line for each of at least two systems. Blank lines are skipped; plain or gzip,
/// `-` is standard input. Throws Error(kIo), Error(kBadInput) with `file:line: found, expected`.
[[nodiscard]] ScoreTable load_score_table(const std::filesystem::path& path);

/// The table with these measures only, in this order. Throws Error(kUsage) for an unknown one.
[[nodiscard]] ScoreTable with_measures(const ScoreTable& table,
                                       const std::vector<std::string>& names);

/// Correlation of the orders in which two measures rank the systems of a table.
struct MeasureCorrelation {
  std::size_t x = 0, y = 0;  ///< measures of the table, x < y
  PairCounts pairs{};
  std::optional<double> tau_b{}, tau_a{}, gamma{}, spearman{};
  std::optional<double> tau_ap_of_x{};  ///< x's order, judged by y
  std::optional<double> tau_ap_of_y{};  ///< y's order, judged by x
  std::optional<RankBiasedOverlap> overlap{};
};

/// The systems' order if runs repeat documents and each line counts again.
struct RepeatedDocuments {
  struct System {
    std::size_t system = 0;  ///< position in the table
    std::uint64_t lines = 0;
    std::uint32_t topics = 0;
  };
  /// Every system's score by one measure; a system without repeats keeps the score of the table.
  struct ByMeasure {
    std::size_t measure = 0;
    std::vector<double> every_line{};
    std::vector<double> places{};   ///< mid-ranks under these scores
    std::optional<double> tau_b{};  ///< between both orders
  };
  std::vector<System> systems{};
  std::vector<ByMeasure> measures{};
};

struct CorrelationStudy {
  ScoreTable table;
  double persistence = kPersistenceForSystems;     ///< for rank-biased overlap
  std::vector<MeasureCorrelation> correlations{};  ///< all pairs, by x, then y
  std::vector<std::vector<double>> places{};    ///< for each measure, the mid-rank of each system
  std::optional<RepeatedDocuments> repeated{};  ///< set if the run files are at hand
};

/// If scores tie and an order is needed (tau_AP, overlap), systems go by their names; the order of
/// the systems in the table does not matter.
[[nodiscard]] CorrelationStudy study_correlation(ScoreTable table, double persistence);

}  // namespace prescope
