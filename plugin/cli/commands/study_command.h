#pragma once

#include "cli/options/evaluation_flags.h"
#include "cli/options/output_file.h"
#include "report/study/study_report.h"

/// Input and output that the studies of `prescope study` share.
namespace prescope::cli {

/// Files that a study is written to, beside the table on stdout.
struct StudyOutput {
  ResultFiles files{"only one of --json, --csv and --html can be standard output ('-')"};
  std::filesystem::path svg;  ///< a folder, with a file for each figure

  void add_to(Command& command);
  /// Before the study is made, so that what cannot be written is said at once. Throws
  /// Error(kUsage), Error(kIo).
  void open(std::span<const std::string> inputs = {});
  /// Throws Error(kIo).
  void write(const ReportDocument& report);
};

/// Arguments and flags that all studies of run files have.
struct StudyRequest {
  EvaluationFlags flags;
  StudyOutput output;
};

/// Adds QRELS, RUN and the flags of run_flags. Not --measures, which some studies do not have.
void add_study_arguments(Command& command, StudyRequest& request);
void add_test_flag(Command& command, PairedTest& test, const std::string& help);
void add_correction_flag(Command& command, Correction& correction, const std::string& help);
void add_sign_flip_flags(Command& command, SignFlipOptions& options);

/// Runs that were read once. Stays where it is, because its parts refer to each other.
struct StudyInput {
  /// Throws Error(kUsage) for fewer than `least_runs` runs, and as load_runs and score_runs.
  StudyInput(const EvaluationFlags& flags, std::size_t least_runs,
             const std::vector<Measure>& measures);
  StudyInput(const StudyInput&) = delete;
  StudyInput& operator=(const StudyInput&) = delete;

  JudgedRuns judged;
  EvaluationReport evaluation;  ///< under `measures`

  [[nodiscard]] RankedRuns ranked() const;
};

/// The shares, above 0 and at most 1, of ".2,.4" and "0.6", as a flag that may be repeated gives
/// them; without any share, `otherwise`. Ascending, each once. Throws Error(kUsage) with all
/// words that are none, naming the flag.
[[nodiscard]] std::vector<double> share_list(std::string_view flag,
                                             const std::vector<std::string>& lists,
                                             const char* otherwise = "");
/// The cutoffs of such lists, read in the same way.
[[nodiscard]] std::vector<Cutoff> cutoff_list(std::string_view flag,
                                              const std::vector<std::string>& lists,
                                              const char* otherwise);
/// The integers of such lists, in [1, 2^31), in the order given. Errors say that `what` was
/// expected.
[[nodiscard]] std::vector<std::uint32_t> positive_numbers(std::string_view flag,
                                                          std::string_view what,
                                                          const std::vector<std::string>& lists,
                                                          const char* otherwise = "");

}  // namespace prescope::cli
