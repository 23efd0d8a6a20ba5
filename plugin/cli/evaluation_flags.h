#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_parser.h"
#include "core/evaluation.h"
#include "core/run_facts.h"
#include "prescope/qrels.h"

namespace prescope::cli {

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
void add_evaluation_flags(CommandParser& parser, EvaluationFlags& flags);
/// The same but --measures: for a command whose measures are its own.
void add_run_flags(CommandParser& parser, EvaluationFlags& flags);

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
/// `-` is standard input. Throws as Qrels::load.
[[nodiscard]] Qrels load_qrels(const EvaluationFlags& flags);
/// In the order given. Several files are read at the same time, one by one where there is a single
/// thread; one file by all threads. Throws as read_run_facts, for the first file that is wrong, and
/// as check_standard_input.
[[nodiscard]] std::vector<RunFacts> read_runs(const Qrels& qrels,
                                              std::span<const std::string> paths,
                                              const EvaluationFlags& flags);

}  // namespace prescope::cli
