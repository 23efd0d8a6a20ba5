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
  /// Throws as JudgedRun::load.
  [[nodiscard]] static JudgedRun read(const Qrels& qrels, ByteSource& file);
  [[nodiscard]] static const RunFacts& facts(const JudgedRun& run) { return run.read_->facts; }
  [[nodiscard]] static Evaluation scored(const JudgedRun& run, const Scorer& scorer,
                                         const ScoringOptions& options);
};

/// Throws Error(kUsage) for a depth of 0.
[[nodiscard]] EvaluateOptions evaluate_options_of(const ScoringOptions& options);

}  // namespace prescope
