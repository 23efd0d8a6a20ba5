#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/evaluation_flags.h"
#include "report/evaluation_report.h"

namespace prescope::cli {

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
