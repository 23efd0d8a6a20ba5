#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command.h"
#include "prescope/qrels.h"
#include "report/runs/evaluation_report.h"
#include "runs/evaluation.h"
#include "runs/judged_runs.h"

namespace prescope::cli {

/// What stands between commas, empty words too: "a,,b" has three.
inline std::vector<std::string_view> comma_separated(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// What every command that evaluates run files can be told about qrels, runs and measures.
struct EvaluationFlags {
  std::string qrels;
  std::vector<std::string> measures;  ///< lists with commas; none: the default ones
  std::string docno = "raw";
  std::string family_map;
  int min_grade = 1;
  std::string order = "trec";
  std::string score = "double";
  std::string topics = "all";
  std::uint32_t depth = 0;  ///< 0: all of a run
  bool judged_only = false;
  std::uint32_t threads = 1;
};

/// That --threads takes.
inline constexpr std::uint32_t kMostThreads = 1024;

/// Adds the flags to a command, not its QRELS and RUN arguments.
void add_evaluation_flags(Command& command, EvaluationFlags& flags);
/// The same but --measures: for a command whose measures are its own.
void add_run_flags(Command& command, EvaluationFlags& flags);

/// Position of `word` among the valid ones; throws Error(kUsage) that names the flag and the
/// nearest.
[[nodiscard]] std::size_t choice_of(std::string_view flag, std::string_view word,
                                    std::span<const std::string_view> valid);
/// Throws Error(kUsage) where standard input (`-`) is named for more than one file.
void check_standard_input(const EvaluationFlags& flags, std::span<const std::string> runs);

/// PRES, R at 100 and 1000, and AP where the user names no measures. Throws Error(kUsage).
[[nodiscard]] std::vector<Measure> measures_of(const EvaluationFlags& flags);
/// Throws Error(kUsage) for a value that is not among the valid ones, naming the nearest.
[[nodiscard]] EvaluateOptions evaluate_options_of(const EvaluationFlags& flags);
[[nodiscard]] ReadRunOptions read_run_options_of(const EvaluationFlags& flags);
[[nodiscard]] QrelsOptions qrels_options_of(const EvaluationFlags& flags);
/// Throws as the load_runs of the library, and as check_standard_input.
[[nodiscard]] JudgedRuns load_runs(const EvaluationFlags& flags,
                                   std::span<const std::string> paths);

/// Scores, oddities and the effect of the order, of each run. Refers to `runs`, which must stay
/// where they are; `names` has as many. Its detail is kMeans.
[[nodiscard]] EvaluationReport score_runs(const JudgedRuns& runs, const EvaluationFlags& flags,
                                          std::span<const std::string> names,
                                          const std::vector<Measure>& measures);

}  // namespace prescope::cli
