#include <fmt/format.h>
#include <memory>

#include "cli/commands/study_command.h"
#include "prescope/error.h"
#include "studies/robustness.h"

namespace prescope::cli {

namespace {

constexpr const char* kRobustnessFractions = "0.2,0.4,0.6,0.8";
constexpr const char* kRobustnessCutoffs = "100,1000";
constexpr std::uint32_t kMostRobustnessSamples = 100'000;
struct RobustnessRequest {
  StudyRequest study;
  std::vector<std::string> fractions, cutoffs;
  RobustnessOptions options;
  StudyOutput output;
};

std::vector<std::string> or_default(const std::vector<std::string>& lists, const char* otherwise) {
  return lists.empty() ? std::vector<std::string>{otherwise} : lists;
}

/// AP, R and PRES at each cutoff, as the paper has them, where nobody names measures.
std::vector<Measure> measures_asked_for(const RobustnessRequest& request) {
  if (!request.study.flags.measures.empty()) {
    if (request.cutoffs.empty()) return measures_of(request.study.flags.measures);
    throw Error(
        ErrorCode::kUsage,
        "--cutoffs is for the measures of the paper; measures of --measures have their own");
  }
  std::vector<Measure> measures;
  for (const Cutoff cutoff :
       cutoff_list("--cutoffs", or_default(request.cutoffs, kRobustnessCutoffs))) {
    for (const char* family : {"AP", "R", "PRES"}) {
      measures.push_back(Measure::parse(fmt::format("{}@{}", family, cutoff.value())));
    }
  }
  return measures;
}

void run_robustness(RobustnessRequest& request) {
  RobustnessOptions& options = request.options;
  options.fractions =
      share_list("--fractions", or_default(request.fractions, kRobustnessFractions));
  options.threads = request.study.flags.read.threads;
  const std::vector<Measure> measures = measures_asked_for(request);
  request.output.open();
  const StudyInput input(request.study, 2, measures);
  request.output.write(
      robustness_report(input.evaluation, robustness(input.ranked(), Scorer(measures), options)));
}

}  // namespace

void add_robustness_study(Command& studies) {
  const auto request = std::make_shared<RobustnessRequest>();
  Command& command = studies.add_command(
      "robustness", "Whether the order of runs survives when a part of the judgements is missing.");
  add_study_arguments(command, request->study);
  command.add(
      "--fractions", request->fractions, "F,F",
      fmt::format("Shares of the relevant documents that are kept ({})", kRobustnessFractions));
  command.add("--samples", request->options.samples, "N", "Of each fraction (3)",
              Limits{1, kMostRobustnessSamples});
  command.add("--cutoffs", request->cutoffs, "N,N",
              fmt::format("Of MAP, Recall and PRES ({})", kRobustnessCutoffs));
  command.add("-m,--measures", request->study.flags.measures, "M,M",
              "Other measures instead, with their cutoffs");
  command.add("--seed", request->options.seed, "TEXT",
              "Of the samples; another one gives others (1)");
  using Rounding = SampleRounding;
  command.add_choice(
      "--rounding", request->options.rounding,
      {{"round", Rounding::kNearest}, {"ceil", Rounding::kUp}, {"floor", Rounding::kDown}}, "WAY",
      "Of the documents kept: round, ceil, floor; at least one is (round)");
  request->output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study robustness qrels.txt *.run.gz --html robustness.html\n"
      "  prescope study robustness qrels.txt *.run --fractions .5,.9 --samples 50 --cutoffs 100\n"
      "  prescope study robustness qrels.txt *.run -m nDCG@10,PRES@200 --seed 2011");
  command.set_body([request] { run_robustness(*request); });
}

}  // namespace prescope::cli
