#pragma once

#include <string>
#include <vector>

#include "prescope/report.h"
#include "prescope/summary.h"

/// The parts of `to_table`, each whole lines.
namespace prescope {

/// Columns that a table keeps to where names allow.
inline constexpr std::size_t kTableWidth = 100;

/// Means of each arm, then its latency and the plugin's own time.
[[nodiscard]] std::string arms_section(const Summary& summary, TableOptions::Color color);
/// Differences of each measure with interval and verdict, and the latency ratio.
[[nodiscard]] std::string pair_section(const Summary& summary, const ArmPair& pair,
                                       TableOptions::Color color);
/// The topics that moved most and the citations that moved them; empty where none did.
[[nodiscard]] std::string moves_section(const Summary& summary, const ArmPair& pair,
                                        const TableOptions& options);
/// Everything that the reader of the numbers ought to know about how they came about, a sentence
/// each; empty for a healthy run.
[[nodiscard]] std::vector<std::string> oddities(const Summary& summary);

}  // namespace prescope
