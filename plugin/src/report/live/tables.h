#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prescope/report.h"
#include "prescope/summary.h"
#include "report/text/tables.h"

/// The parts of `to_table`, each whole lines.
namespace prescope {

/// An arm's name, and that it is paused.
[[nodiscard]] std::string arm_label(const ArmSummary& arm);
/// The plugin's own time, as a share of the arm's median latency.
[[nodiscard]] std::string own_share_text(const ArmSummary& arm);

enum class MeanOver {
  kTopicsWithValue,
  kAllTopics,  ///< those with relevant documents; 0 where there is no value
};
/// One mean of each measure and arm that is not removed, in blocks that fit the width.
[[nodiscard]] std::string means_section(const Summary& summary, MeanOver over,
                                        TableOptions::Color color);

/// The live view: both means if they differ, latency with failures, the plugin's own time.
[[nodiscard]] std::string live_arms_section(const Summary& summary, TableOptions::Color color);
/// Differences with the interval and the state that hold while one looks, the topics that B loses
/// most in, the latency ratio or the sample ratio.
[[nodiscard]] std::string live_pair_section(const Summary& summary, const ArmPair& pair,
                                            TableOptions::Color color);
/// Since when means and verdicts are counted, and how far the epoch before had come.
[[nodiscard]] std::string epoch_section(const Summary& summary);
/// Topics whose score moved from visit to visit; empty if none did.
[[nodiscard]] std::string drift_section(const Summary& summary, TableOptions::Color color);

/// Everything that the reader of the numbers ought to know about how they came about, a sentence
/// each; empty for a healthy run. In a live one, topics not served yet are nothing odd.
[[nodiscard]] std::vector<std::string> oddities(const Summary& summary, TableOptions::View view);

}  // namespace prescope
