#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "load.h"
#include "options.h"
#include "overhead.h"
#include "prescope/summary.h"
#include "ranking_check.h"

namespace live_ab {

/// Prints the table of the summary, once a second; on a terminal it replaces the one before.
void show(const prescope::Summary& summary);

/// Results of a run that the summary does not hold.
struct Outcome {
  std::uint32_t generations = 1;
  std::optional<LoadReport> load{};
  std::optional<std::uint64_t> searches{};
  std::optional<RankingCheck::Result> check{};
  std::optional<Overhead> overhead{};
};

/// Returns the outcome in words, for the end of the output.
[[nodiscard]] std::string to_text(const Outcome& outcome);

/// Writes the summary as prescope::to_json has it, with one more key, `live_ab`: see README.md.
/// Throws prescope::Error(kIo).
void write_json(const std::filesystem::path& path, const prescope::Summary& summary,
                const Options& options, const Outcome& outcome);

}  // namespace live_ab
