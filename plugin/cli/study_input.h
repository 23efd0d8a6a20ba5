#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/scored_runs.h"
#include "core/study_runs.h"

namespace prescope::cli {

/// What is asked of a study of run files, beside what is the study's own.
struct StudyRequest {
  EvaluationFlags flags;
  std::vector<std::string> runs;
};

/// Adds QRELS, RUN and the flags of run_flags; with --measures, which a study may leave out.
void add_study_arguments(CommandParser& parser, StudyRequest& request);
void add_study_measures(CommandParser& parser, StudyRequest& request,
                        const std::string& default_measures);
/// Those of --measures, or else `default_measures`. Throws Error(kUsage).
[[nodiscard]] std::vector<Measure> study_measures(const StudyRequest& request,
                                                  const std::string& default_measures);

/// Runs that were read once. Stays where it is, because its parts refer to each other.
struct StudyInput {
  /// Throws Error(kUsage) for fewer than `least_runs` runs, and as load_runs and score_runs.
  StudyInput(const StudyRequest& request, std::size_t least_runs, std::vector<Measure> measures);
  StudyInput(const StudyInput&) = delete;
  StudyInput& operator=(const StudyInput&) = delete;

  std::vector<std::string> names;  ///< of the runs
  JudgedRuns judged;
  EvaluationReport evaluation;  ///< under `measures`
  StudyRuns runs;
};

}  // namespace prescope::cli
