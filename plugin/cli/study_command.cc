#include "cli/commands.h"
#include "cli/study_commands.h"

namespace prescope::cli {

void add_study_commands(ProgramParser& program) {
  CommandGroup& studies = program.add_group(
      "study", "study",
      "The studies that PRES was argued for with, on your own runs: cutoffs, correlation, ...");
  add_cutoffs_study(studies);
  add_correlation_study(studies);
  add_curve_study(studies);
  add_agreement_study(studies);
  add_robustness_study(studies);
  add_retrievability_study(studies);
  studies.footer(
      "Examples:\n"
      "  prescope study cutoffs qrels.txt *.run.gz --nmax 10,100,1000 --html cutoffs.html\n"
      "  prescope study correlation qrels.txt *.run.gz\n\n"
      "'prescope study NAME --help' describes a study.");
}

}  // namespace prescope::cli
