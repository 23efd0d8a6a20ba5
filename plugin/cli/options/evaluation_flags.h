#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/command_parser.h"
#include "prescope/engine.h"
#include "prescope/qrels.h"
#include "replay/replay_options.h"
#include "report/runs/evaluation_report.h"
#include "runs/evaluation.h"
#include "runs/run_facts.h"
#include "runs/run_file.h"

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

/// What runs are called in results: the file's name without folder and endings such as `.run` or
/// `.res.gz`, "stdin" for `-`; the path as given where others would be called the same.
[[nodiscard]] std::vector<std::string> run_names(std::span<const std::string> paths);

/// One TREC run a ranking configuration, `ARM.run`, written in topic order whatever the order in
/// which threads finish their topics. The files appear under their names with `finish`.
/// Thread-safe.
class OrderedRuns {
 public:
  /// Creates `folder` where it is missing. Throws Error(kIo).
  OrderedRuns(std::filesystem::path folder, std::span<const ReplayArm> arms);
  /// Unless finished, leaves nothing behind.
  ~OrderedRuns();
  OrderedRuns(const OrderedRuns&) = delete;
  OrderedRuns& operator=(const OrderedRuns&) = delete;

  /// All arms' hits of the `position`-th topic, each position once, from 0. Holds back what comes
  /// before its turn. Throws as RunWriter::add.
  void add(std::size_t position, const TopicId& topic, std::vector<std::vector<Hit>> hits_by_arm);
  /// Throws Error(kIo).
  void finish();

 private:
  struct Waiting {
    TopicId topic;
    std::vector<std::vector<Hit>> hits_by_arm;
  };

  std::filesystem::path folder_;
  bool created_folder_ = false;
  std::mutex mutex_;
  std::vector<std::pair<ArmId, std::unique_ptr<RunWriter>>> writers_;
  std::map<std::size_t, Waiting> waiting_;
  std::size_t next_ = 0;
};

/// Judgements, and runs read under them.
struct JudgedRuns {
  Qrels qrels;
  std::vector<RunFacts> facts;
};

/// Throws as load_qrels and read_runs, and Error(kBadInput) for a run that has no topic of the
/// qrels: a mistake, not a run that finds nothing.
[[nodiscard]] JudgedRuns load_runs(const EvaluationFlags& flags,
                                   std::span<const std::string> paths);

/// Scores, oddities and the effect of the order, of each run. Refers to `runs`, which must stay
/// where they are; `names` has as many. Its detail is kMeans.
[[nodiscard]] EvaluationReport score_runs(const JudgedRuns& runs, const EvaluationFlags& flags,
                                          std::span<const std::string> names,
                                          const std::vector<Measure>& measures);

}  // namespace prescope::cli
