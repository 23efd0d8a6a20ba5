#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prescope {

/// Scores of several systems by several measures; the higher the better.
struct ScoreTable {
  std::vector<std::string> systems;
  std::vector<std::string> measures;
  std::vector<std::vector<double>> scores;  ///< for each measure, one of each system
};

/// Reads tab-separated lines: a header, whose first column names the systems and the others the
/// measures, then a line for each system. Blank lines are skipped; plain or gzip, `-` is standard
/// input. Throws Error(kIo), and Error(kBadInput) with `file:line: found, expected`: no header, no
/// measure, other columns than the header has, what is no finite number, a system or a measure that
/// is there twice, fewer than two systems.
[[nodiscard]] ScoreTable load_score_table(const std::filesystem::path& path);

/// The table with these measures only, in this order. Throws Error(kUsage) for one that is not
/// there, with the nearest.
[[nodiscard]] ScoreTable with_measures(const ScoreTable& table,
                                       const std::vector<std::string>& names);

}  // namespace prescope
