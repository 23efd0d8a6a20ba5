#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prescope/report.h"
#include "prescope/summary.h"

/// The parts of `to_table`, each whole lines.
namespace prescope {

/// Columns that a table keeps to where names allow.
inline constexpr std::size_t kTableWidth = 100;

/// An arm's name, and that it is paused.
[[nodiscard]] std::string arm_label(const ArmSummary& arm);

enum class MeanOver {
  kTopicsWithValue,
  kAllTopics,  ///< those with relevant documents; 0 where there is no value
};
/// One mean of each measure and arm that is not removed, in blocks that fit the width.
[[nodiscard]] std::string means_section(const Summary& summary, MeanOver over,
                                        TableOptions::Color color);
/// Of a query's median latency what its plugin's own time is; nothing where one is not known.
[[nodiscard]] std::optional<double> own_share(std::optional<double> self_us,
                                              const LatencySummary& latency);

/// Means of each arm, then its latency and the plugin's own time.
[[nodiscard]] std::string arms_section(const Summary& summary, TableOptions::Color color);
/// Differences of each measure with interval and verdict, and the latency ratio.
[[nodiscard]] std::string pair_section(const Summary& summary, const ArmPair& pair,
                                       TableOptions::Color color);
/// The topics that moved most and the citations that moved them; empty where none did.
[[nodiscard]] std::string moves_section(const Summary& summary, const ArmPair& pair,
                                        const TableOptions& options);

/// The live view: both means where they differ, latency with failures, the plugin's own time.
[[nodiscard]] std::string live_arms_section(const Summary& summary, TableOptions::Color color);
/// Differences with the interval and the state that hold while one looks, the topics that B loses
/// most in, the latency ratio or the sample ratio.
[[nodiscard]] std::string live_pair_section(const Summary& summary, const ArmPair& pair,
                                            TableOptions::Color color);
/// Since when means and verdicts are counted, and how far the epoch before had come.
[[nodiscard]] std::string epoch_section(const Summary& summary);
/// Topics whose score moved from visit to visit; empty where none did.
[[nodiscard]] std::string drift_section(const Summary& summary, TableOptions::Color color);

/// Everything that the reader of the numbers ought to know about how they came about, a sentence
/// each; empty for a healthy run. Of a live one, topics not served yet are nothing odd.
[[nodiscard]] std::vector<std::string> oddities(const Summary& summary, TableOptions::View view);

/// 12.3, "failed" where the order statistic is a query without end, "-" without queries.
[[nodiscard]] std::string quantile_text(const LatencyQuantile& quantile);
/// [11.2, 13.5], "[11.2, failed]", ">= 11.2" or "<= 13.5" where one side is open, "-" where both
/// are.
[[nodiscard]] std::string quantile_interval_text(const LatencyQuantile& quantile);

}  // namespace prescope
