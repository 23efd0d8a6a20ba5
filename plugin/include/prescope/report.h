#pragma once

#include "prescope/summary.h"

namespace prescope {

struct TableOptions {
  enum class Color { kNever, kAlways };
  Color color = Color::kNever;
  enum class View {
    kFinishedRun,  ///< paired t intervals, which hold once nothing is added any more
    kLive,         ///< verdicts that hold whenever one looks, both means, epochs and drift
  };
  View view = View::kFinishedRun;
  /// How many of the topics that moved most are listed for each pair of arms.
  std::size_t moves = 5;
};

/// The summary as the program prints it: arms, comparison, topics that moved, what was odd. Of
/// SummaryDetail::kVerdicts there are no topics that moved. UTF-8, at most 100 columns where names
/// allow, ends with a newline. Independent of the locale.
[[nodiscard]] std::string to_table(const Summary& summary, const TableOptions& options = {});

/// The summary as one JSON object; `docs/replay-json.md` names every key. Ends with a newline.
[[nodiscard]] std::string to_json(const Summary& summary);

}  // namespace prescope
