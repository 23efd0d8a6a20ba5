#pragma once

#include <span>
#include <string>

#include "trec_eval/trec_eval.h"

namespace prescope::cli {

/// `prescope trec_eval ...`, which reads its arguments as trec_eval does; `argv[0]` is "trec_eval".
/// Returns the exit code; throws prescope::Error.
int run_trec_eval(int argc, char** argv);

/// What `prescope trec_eval -h` prints, and what the measures asked for mean. Throws Error(kUsage)
/// for an unknown one.
[[nodiscard]] std::string trec_eval_help(std::span<const std::string> measures);

/// What the arguments of `prescope trec_eval` ask for.
struct TrecEvalOptions {
  enum class Task { kEvaluate, kHelp, kVersion };

  Task task = Task::kEvaluate;
  trec_eval::Options report{};
  std::string z_scores;  ///< path; empty without -Z
  std::string qrels, run;
  int min_grade = 1;
  unsigned threads = 1;
};

/// Reads arguments as trec_eval does, with getopt: `-M100`, `-M 100` and `--Max 100` are the same.
/// Not thread-safe. Throws Error(kUsage).
[[nodiscard]] TrecEvalOptions parse_trec_eval_options(int argc, char** argv);

}  // namespace prescope::cli
