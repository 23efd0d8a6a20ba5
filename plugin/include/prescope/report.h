#pragma once

#include <cstddef>
#include <optional>

#include "prescope/summary.h"

#pragma GCC visibility push(default)
namespace prescope {

struct TableOptions {
  enum class Color { kNever, kAlways };
  Color color = Color::kNever;
  /// The number of topics, those that moved most, that are listed for each pair of arms.
  std::size_t moves = 5;
  /// Width of the terminal that shows the table. Wider tables are folded, and names shortened, to
  /// fit; nothing: tables are as wide as their names make them.
  std::optional<std::size_t> columns{};
};

/// Returns the summary as the program prints it: arms, verdicts, topics that moved, epochs, drift,
/// what is left out, oddities. A summary of SummaryDetail::kVerdicts has no topics that moved.
/// UTF-8, at most 100 columns if names allow, ends with a newline. Independent of the locale.
[[nodiscard]] std::string to_table(const Summary& summary, const TableOptions& options = {});

/// Returns the summary as one JSON object; `docs/replay-json.md` names every key. Ends with a
/// newline.
[[nodiscard]] std::string to_json(const Summary& summary);

}  // namespace prescope
#pragma GCC visibility pop
