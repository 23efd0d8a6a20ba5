#include <fmt/format.h>

#include <memory>

#include "cli/cutoff_list.h"
#include "cli/study_commands.h"
#include "cli/study_input.h"
#include "cli/study_output.h"
#include "core/cutoff_study.h"
#include "report/study/cutoffs_report.h"

namespace prescope::cli {
namespace {

constexpr const char* kStudyCutoffs = "10,20,50,100,200,500,1000";

struct CutoffsRequest {
  StudyRequest study;
  std::vector<std::string> cutoffs;
  StudyOutputFlags output;
};

void run_cutoffs(const CutoffsRequest& request) {
  const std::vector<Cutoff> cutoffs =
      cutoff_list("--nmax", request.cutoffs.empty() ? std::vector<std::string>{kStudyCutoffs}
                                                    : request.cutoffs);
  StudyOutput output(request.output);
  const StudyInput input(request.study, 1, default_measures(cutoffs));
  const CutoffStudy study = study_cutoffs(input.runs, cutoffs, request.study.flags.threads);
  output.write(cutoffs_report(input.evaluation, study));
}

}  // namespace

void add_cutoffs_study(CommandGroup& studies) {
  const auto request = std::make_shared<CutoffsRequest>();
  CommandParser& parser = studies.add_command(
      "cutoffs", "MAP, Recall and PRES against N_max, and where the order of runs turns round.");
  add_study_arguments(parser, request->study);
  parser.option("--nmax", request->cutoffs, "N,N",
                fmt::format("Documents read ({})", kStudyCutoffs));
  add_study_output_flags(parser, request->output);
  parser.footer(
      "Examples:\n"
      "  prescope study cutoffs qrels.txt bm25.run tfidf.run.gz\n"
      "  prescope study cutoffs qrels.txt *.run --nmax 10,100,1000 --html cutoffs.html\n"
      "  prescope study cutoffs qrels.txt *.run --csv cutoffs.csv --svg figures");
  parser.body([request] { run_cutoffs(*request); });
}

}  // namespace prescope::cli
