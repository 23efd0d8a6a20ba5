#include "cli/study_input.h"

#include <fmt/format.h>

#include "cli/run_names.h"
#include "prescope/error.h"

namespace prescope::cli {
namespace {

JudgedRuns checked_runs(const StudyRequest& request, std::size_t least_runs) {
  if (request.runs.size() < least_runs) {
    throw Error(ErrorCode::kUsage,
                fmt::format("expected QRELS and at least {}; found {}",
                            least_runs == 1 ? "one run" : fmt::format("{} runs", least_runs),
                            request.runs.size()));
  }
  return load_runs(request.flags, request.runs);
}

}  // namespace

void add_study_arguments(CommandParser& parser, StudyRequest& request) {
  parser.argument("QRELS", request.flags.qrels, "FILE", "Judgements; - for stdin");
  parser.argument("RUN", request.runs, "FILE", "TREC runs, plain or gzip; - for stdin");
  add_run_flags(parser, request.flags);
}

void add_study_measures(CommandParser& parser, StudyRequest& request,
                        const std::string& default_measures) {
  parser.option("-m,--measures", request.flags.measures, "M,M",
                fmt::format("Measures, such as PRES@100,nDCG@10 ({})", default_measures));
}

std::vector<Measure> study_measures(const StudyRequest& request,
                                    const std::string& default_measures) {
  return request.flags.measures.empty() ? parse_measures(default_measures)
                                        : measures_of(request.flags);
}

StudyInput::StudyInput(const StudyRequest& request, std::size_t least_runs,
                       std::vector<Measure> measures)
    : names(run_names(request.runs)),
      judged(checked_runs(request, least_runs)),
      evaluation(score_runs(judged, request.flags, names, measures)),
      runs(judged.qrels, judged.facts, evaluation.options, request.flags.threads) {}

}  // namespace prescope::cli
