#pragma once

#include "cli/options/command.h"
#include "report/runs/evaluation_report.h"
#include "runs/read_runs.h"

namespace prescope::cli {

/// Slices of the topics, as commands take them.
struct SliceFlags {
  std::string file;
  std::vector<std::string> by;  ///< dimensions, lists with commas

  [[nodiscard]] bool are_given() const noexcept { return !file.empty() || !by.empty(); }
  /// Returns where the slices come from, with the dimensions one by one.
  [[nodiscard]] SliceSource source() const;
};

/// Qrels, runs and measures, as every command that evaluates run files takes them.
struct EvaluationFlags {
  std::string qrels;
  std::vector<std::string> runs;
  std::vector<std::string> measures;  ///< lists with commas; none: the default ones
  QrelsOptions qrels_options;
  EvaluateOptions evaluate;
  ReadRunOptions read;
  SliceFlags slices;
  bool ties = false;  ///< each mean also with its range over all orders of tied documents
};

/// Largest value accepted by --threads.
inline constexpr std::uint32_t kMostThreads = 1024;
/// The file name of standard input.
inline constexpr std::string_view kStandardInput = "-";
/// PRES and R at 100 and 1000, and AP.
inline constexpr const char* kDefaultMeasures = "PRES@100,R@100,PRES@1000,R@1000,AP";

/// Adds the flags to a command, not its QRELS and RUN arguments.
void add_evaluation_flags(Command& command, EvaluationFlags& flags,
                          const char* otherwise = kDefaultMeasures);
/// Adds --measures, whose help names the default ones.
void add_measures_flag(Command& command, EvaluationFlags& flags, const char* otherwise);
/// Adds --ties.
void add_ties_flag(Command& command, EvaluationFlags& flags);
/// Adds --slices and --slice-by.
void add_slice_flags(Command& command, SliceFlags& flags);
/// Reads the slices that were asked for, if any. Throws what `read_slices` throws.
[[nodiscard]] TopicSlices slices_of(const EvaluationFlags& flags, const Qrels& qrels);
/// Throws Error(kUsage) if ties are asked for that the order of the lines does not have.
void check_ties(const EvaluationFlags& flags);
/// Adds all of them but --measures.
void add_run_flags(Command& command, EvaluationFlags& flags);
/// Adds --docno.
void add_docno_flag(Command& command, DocnoPolicy& policy, const std::string& help);
/// Adds --category to a command. `Value` is CitationCategories, or std::vector<std::string> for
/// those who read the words later.
template <class Value>
void add_category_flag(Command& command, Value& value) {
  command.add("--category", value, "X=3", "Grade of a citation category; may be repeated");
}
/// Names the words that --docno of a command takes, for completion.
void offer_docno_policies(Command& command);

/// Returns the files that a command reads, so that no output replaces one of them.
[[nodiscard]] std::vector<std::string> inputs_of(const EvaluationFlags& flags);
/// Throws Error(kUsage) if standard input (`-`) is named for more than one file.
void check_standard_input(const EvaluationFlags& flags);

/// The measures of lists with commas, each once, or of `otherwise` if there are no lists. Throws
/// Error(kUsage).
[[nodiscard]] std::vector<Measure> measures_of(const std::vector<std::string>& lists,
                                               const char* otherwise = kDefaultMeasures);
/// Throws as the load_runs of the library, and as check_standard_input.
[[nodiscard]] JudgedRuns load_runs(const EvaluationFlags& flags);

/// Scores, oddities and the effect of the order, of each run. Refers to `runs`, which must stay
/// where they are; `names` has as many. Its detail is kMeans.
[[nodiscard]] EvaluationReport score_runs(const JudgedRuns& runs, const EvaluationFlags& flags,
                                          std::span<const std::string> names,
                                          const std::vector<Measure>& measures);

}  // namespace prescope::cli
