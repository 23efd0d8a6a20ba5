#include <memory>

#include "cli/commands/study_command.h"
#include "prescope/error.h"
#include "runs/comparison.h"
#include "studies/agreement.h"

namespace prescope::cli {

namespace {

constexpr const char* kAgreementMeasures = "AP@1000,R@1000,PRES@1000";
constexpr std::uint32_t kMostAgreementFlips = 10'000'000;
struct AgreementRequest {
  StudyRequest study;
  AgreementOptions options;
  StudyOutput output;
};

void run_agreement(AgreementRequest& request) {
  AgreementOptions& options = request.options;
  if (!(options.alpha > 0.0 && options.alpha < 1.0)) {
    throw Error(ErrorCode::kUsage, "--alpha: expected a chance between 0 and 1, such as 0.05");
  }
  options.threads = request.study.flags.read.threads;
  const std::vector<Measure> measures =
      comparable_measures(measures_of(request.study.flags.measures, kAgreementMeasures));
  request.output.open();
  const StudyInput input(request.study, 2, measures);
  std::vector<const Evaluation*> runs;
  for (const EvaluatedRun& run : input.evaluation.runs) runs.push_back(&run.evaluation);
  request.output.write(agreement_report(input.evaluation, agreement(runs, options)));
}

}  // namespace

void add_agreement_study(Command& studies) {
  const auto request = std::make_shared<AgreementRequest>();
  Command& command = studies.add_command(
      "agreement", "Which of all pairs of runs are different, and whether the measures agree.");
  add_study_arguments(command, request->study);
  add_study_measures(command, request->study, kAgreementMeasures);
  AgreementOptions& options = request->options;
  add_test_flag(command, options.test, "wilcoxon, as in the PRES paper; t; sign-flip (wilcoxon)");
  command.add("--alpha", options.alpha, "SHARE",
              "Chance of a false claim that is accepted, for each pair (0.05)");
  add_correction_flag(command, options.correction,
                      "Over the pairs of each measure: none, as in the paper; holm; bh (none)");
  command.add("--seed", options.sign_flip.seed, "N", "Of the sign-flip test's draws (1)");
  command.add("--flips", options.sign_flip.flips, "N",
              "Draws of the sign-flip test where more than 20 topics differ (9999)",
              Limits{1, kMostAgreementFlips});
  request->output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study agreement qrels.txt *.run.gz --html agreement.html\n"
      "  prescope study agreement qrels.txt *.run.gz -m AP@100,PRES@100 --test t --correction bh");
  command.set_body([request] { run_agreement(*request); });
}

}  // namespace prescope::cli
