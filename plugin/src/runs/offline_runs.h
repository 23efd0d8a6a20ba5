#pragma once

#include "prescope/offline.h"
#include "runs/evaluation.h"
#include "runs/read_runs.h"

namespace prescope {

struct JudgedRun::Read {
  Qrels qrels;
  RunFacts facts;
};

/// Makes runs, and looks into them.
class OfflineRuns {
 public:
  /// Throws as JudgedRun::load. `threads`: at least 1.
  [[nodiscard]] static JudgedRun load(const Qrels& qrels, const std::filesystem::path& path,
                                      unsigned threads);
  [[nodiscard]] static JudgedRun of_facts(const Qrels& qrels, RunFacts facts);
  /// Throws Error(kUsage).
  static void check_same_judgements(const JudgedRun& a, const JudgedRun& b);
  [[nodiscard]] static const RunFacts& facts(const JudgedRun& run) { return run.read_->facts; }
  [[nodiscard]] static Evaluation scored(const JudgedRun& run, const Scorer& scorer,
                                         const ScoringOptions& options);
};

/// Throws Error(kUsage) for a depth of 0.
[[nodiscard]] EvaluateOptions evaluate_options_of(const ScoringOptions& options);
/// Throws Error(kUsage) for a value that is not in (0, 1).
void check_share(std::string_view name, double value);

}  // namespace prescope
