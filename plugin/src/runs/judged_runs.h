#pragma once

#include <span>
#include <string>
#include <vector>

#include "prescope/qrels.h"
#include "runs/run_facts.h"

namespace prescope {

/// Judgements, and runs read under them.
struct JudgedRuns {
  Qrels qrels;
  std::vector<RunFacts> facts;
};

/// Reads the runs, in the order given; `-` is standard input. Several files are read at the same
/// time with a thread each, one file by all threads. Throws as read_run_facts, for the first file
/// that is wrong.
[[nodiscard]] std::vector<RunFacts> read_runs(const Qrels& qrels,
                                              std::span<const std::string> paths,
                                              const ReadRunOptions& options);

/// Reads judgements and runs. Throws as Qrels::load and read_runs, and Error(kBadInput) for a run
/// that has no topic of the qrels: a mistake, not a run that finds nothing.
[[nodiscard]] JudgedRuns load_runs(const std::string& qrels, const QrelsOptions& qrels_options,
                                   std::span<const std::string> paths,
                                   const ReadRunOptions& options);

/// What runs are called in results: the file's name without folder and endings such as `.run` or
/// `.res.gz`, "stdin" for `-`; the path as given where others would be called the same.
[[nodiscard]] std::vector<std::string> run_names(std::span<const std::string> paths);

}  // namespace prescope
