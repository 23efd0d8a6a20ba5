#include <array>
#include <memory>

#include "cli/commands/study_command.h"
#include "prescope/error.h"
#include "runs/comparison.h"
#include "studies/agreement.h"

namespace prescope::cli {

namespace {

constexpr const char* kAgreementMeasures = "AP@1000,R@1000,PRES@1000";
constexpr std::uint32_t kMostAgreementFlips = 10'000'000;
// In the order of PairedTest and Correction.
constexpr std::array<std::string_view, 3> kAgreementTests = {"t", "sign-flip", "wilcoxon"};
constexpr std::array<std::string_view, 3> kPairCorrections = {"holm", "bh", "none"};

struct AgreementRequest {
  StudyRequest study;
  std::string test = "wilcoxon", correction = "none";
  double alpha = AgreementOptions().alpha;
  SignFlipOptions sign_flip;
  StudyOutputFlags output;
};

AgreementOptions options_of(const AgreementRequest& request) {
  if (!(request.alpha > 0.0 && request.alpha < 1.0)) {
    throw Error(ErrorCode::kUsage, "--alpha: expected a chance between 0 and 1, such as 0.05");
  }
  return {.test = static_cast<PairedTest>(choice_of("--test", request.test, kAgreementTests)),
          .alpha = request.alpha,
          .correction = static_cast<Correction>(
              choice_of("--correction", request.correction, kPairCorrections)),
          .sign_flip = request.sign_flip,
          .threads = request.study.flags.threads};
}

void run_agreement(const AgreementRequest& request) {
  const AgreementOptions options = options_of(request);
  const std::vector<Measure> measures =
      comparable_measures(study_measures(request.study, kAgreementMeasures));
  StudyOutput output(request.output);
  const StudyInput input(request.study, 2, measures);
  std::vector<const Evaluation*> runs;
  for (const EvaluatedRun& run : input.evaluation.runs) runs.push_back(&run.evaluation);
  output.write(agreement_report(input.evaluation, agreement(runs, options)));
}

}  // namespace

void add_agreement_study(Command& studies) {
  const auto request = std::make_shared<AgreementRequest>();
  Command& command = studies.add_command(
      "agreement", "Which of all pairs of runs are different, and whether the measures agree.");
  add_study_arguments(command, request->study);
  add_study_measures(command, request->study, kAgreementMeasures);
  command.add("--test", request->test, "TEST",
              "wilcoxon, as in the PRES paper; t; sign-flip (wilcoxon)");
  command.add("--alpha", request->alpha, "SHARE",
              "Chance of a false claim that is accepted, for each pair (0.05)");
  command.add("--correction", request->correction, "WAY",
              "Over the pairs of each measure: none, as in the paper; holm; bh (none)");
  command.add("--seed", request->sign_flip.seed, "N", "Of the sign-flip test's draws (1)");
  command.add("--flips", request->sign_flip.flips, "N",
              "Draws of the sign-flip test where more than 20 topics differ (9999)",
              Limits{1, kMostAgreementFlips});
  add_study_output_flags(command, request->output);
  command.footer(
      "Examples:\n"
      "  prescope study agreement qrels.txt *.run.gz --html agreement.html\n"
      "  prescope study agreement qrels.txt *.run.gz -m AP@100,PRES@100 --test t --correction bh");
  command.set_body([request] { run_agreement(*request); });
}

}  // namespace prescope::cli
