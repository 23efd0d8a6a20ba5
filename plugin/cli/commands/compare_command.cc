#include "cli/commands/commands.h"
#include "cli/commands/study_command.h"
#include "cli/options/terminal.h"
#include "serve/site/page.h"

namespace prescope::cli {

namespace {

constexpr std::uint32_t kMostSamples = 100'000;

using ComparisonText = std::string (*)(const ComparisonReport& report);

std::string comparison_for_terminal(const ComparisonReport& report) {
  return document_as_text(comparison_document(report), stdout_look());
}

std::string comparison_markdown(const ComparisonReport& report) {
  return document_as_markdown(comparison_document(report));
}

struct CompareRequest {
  EvaluationFlags flags;
  CompareOptions options;
  std::optional<double> confidence, alpha;
  std::optional<std::size_t> top;
  std::vector<std::string> robustness;
  std::uint32_t robustness_samples = VerdictRobustnessOptions().draws.samples;
  ComparisonText format = comparison_for_terminal;
  ResultFiles files{"--json and --html cannot both be standard output ('-')"};
};

void check_share(std::string_view flag, double value) {
  if (value > 0.0 && value < 1.0) return;
  throw usage_error("{}: {} is not between 0 and 1", flag, value);
}

/// An interval at 1 - alpha excludes 0 if the t test says so at alpha: one follows the other.
void set_alpha_and_confidence(const CompareRequest& request, CompareOptions& options) {
  double& alpha = options.power.alpha;
  if (request.alpha) {
    alpha = *request.alpha;
  } else if (request.confidence) {
    alpha = clean_difference(1.0, *request.confidence);
  }
  options.confidence = request.confidence.value_or(clean_difference(1.0, alpha));
  if (request.alpha) check_share("--alpha", alpha);
  check_share("--confidence", options.confidence);
}

CompareOptions checked_options(const CompareRequest& request) {
  CompareOptions options = request.options;
  options.evaluate = request.flags.evaluate;
  set_alpha_and_confidence(request, options);
  check_share("--power", options.power.power);
  if (const double least = options.power.alpha / 2.0; options.power.power <= least) {
    throw usage_error("--power: {} is not above {}, half of alpha", options.power.power, least);
  }
  const double target = options.target_difference.value_or(1.0);
  if (!(target > 0.0 && target < 1e300)) {
    throw usage_error("--target-difference: {} is not a difference above 0, such as 0.01", target);
  }
  options.top = request.top.value_or(options.top);
  return options;
}

void check_request(const CompareRequest& request) {
  if (request.flags.runs.size() < 2) {
    throw usage_error(
        "expected QRELS and at least two runs, the first of them the baseline; see "
        "'prescope compare --help'");
  }
  check_standard_input(request.flags);
  check_ties(request.flags);
}

/// The options of compare_runs, for judgements that are sampled.
std::optional<VerdictRobustnessOptions> robustness_of(const CompareRequest& request,
                                                      const CompareOptions& options) {
  if (request.robustness.empty()) return std::nullopt;
  return VerdictRobustnessOptions{
      .draws = {.fractions = share_list("--robustness", request.robustness),
                .samples = request.robustness_samples,
                .seed = std::to_string(options.sign_flip.seed),
                .threads = request.flags.read.threads},
      .test = options.test,
      .correction = options.correction,
      .alpha = options.power.alpha,
      .sign_flip = options.sign_flip};
}

void run_compare(CompareRequest& request) {
  check_request(request);
  CompareOptions options = checked_options(request);
  const std::vector<Measure> measures = comparable_measures(measures_of(request.flags.measures));
  auto robustness = robustness_of(request, options);
  request.files.open(inputs_of(request.flags));

  StudyInput input(request.flags, 2, measures);
  std::vector<const Evaluation*> runs;
  for (const EvaluatedRun& run : input.evaluation.runs) runs.push_back(&run.evaluation);
  options.slices = slices_of(request.flags, input.judged.qrels);
  ComparisonReport report{.comparison = compare_runs(input.judged.qrels, runs, options)};
  if (robustness) {
    for (const RunComparison& run : report.comparison.runs) {
      for (const MeasureComparison& measure : run.measures) {
        robustness->without_verdict.push_back(measure.ends_at.has_value());
      }
    }
    report.robustness =
        verdict_robustness(input.ranked(), Scorer(report.comparison.measures), *robustness);
  }
  report.evaluation = std::move(input.evaluation);
  // A table of many runs stays readable: what moved in each of them is for those who ask.
  if (runs.size() > 2) report.moved_listed = 0;
  report.moved_listed = request.top.value_or(report.moved_listed);
  const auto text =
      request.files.write({{"--json", [&] { return comparison_json(report); }},
                           {"--html", [&] { return serve::comparison_page(report); }}});
  print_result(text ? *text : request.format(report));
}

void add_statistics_flags(Command& command, CompareRequest& request) {
  CompareOptions& options = request.options;
  add_test_flag(command, options.test,
                "Test whose p decides: t; sign-flip; wilcoxon, as in the PRES paper (t)");
  add_correction_flag(command, options.correction,
                      "Correction for several measures and runs: holm, bh, none (holm)");
  command.add("--confidence", request.confidence, "SHARE",
              "Confidence of the intervals (1 - alpha)");
  command.add("--alpha", request.alpha, "SHARE", "Chance of a false claim that is accepted (0.05)");
  command.add("--power", options.power.power, "SHARE",
              "Chance to show a difference that is there (0.8)");
  command.add("--target-difference", options.target_difference, "D",
              "Topics needed to show this difference (the one seen)");
  add_sign_flip_flags(command, options.sign_flip);
  command.add("--robustness", request.robustness, "F,F",
              "Count how often the verdicts change if only these shares of the citations are "
              "known, such as 0.8");
  command.add("--robustness-samples", request.robustness_samples, "N",
              "Draws of citations for each share (100)", Limits{1, kMostSamples});
}

void add_output_flags(Command& command, CompareRequest& request) {
  command.add("--top", request.top, "N",
              "Topics that moved most, listed for each run (10; in a table or Markdown of "
              "several runs 0)");
  command.add_choice("--format", request.format,
                     {{"table", comparison_for_terminal},
                      {"json", comparison_json},
                      {"markdown", comparison_markdown}},
                     "FORMAT", "Format on stdout: table, json, markdown (table)");
  request.files.add(command, "--json",
                    "Write everything as JSON, too; - for stdout, nothing else then");
  request.files.add(
      command, "--html",
      "Write one page with plots that opens in any browser, too; - for stdout, nothing "
      "else then");
}

}  // namespace

void add_compare_command(Command& program) {
  const auto [command, request] = program.add_command(
      "compare",
      "Compare runs with a baseline run: differences, how sure they are, which citations made "
      "them.",
      run_compare);
  command.add("QRELS", request.flags.qrels, "FILE", "Judgements; - for stdin")->required();
  command
      .add("RUN", request.flags.runs, "FILE",
           "TREC runs, plain or gzip, at least two: the baseline first; - for stdin")
      ->required();
  add_evaluation_flags(command, request.flags);
  add_slice_flags(command, request.flags.slices);
  add_ties_flag(command, request.flags);
  add_statistics_flags(command, request);
  add_output_flags(command, request);
  command.footer(
      "Examples:\n"
      "  prescope compare qrels.txt old.run new.run\n"
      "  prescope compare qrels.txt baseline.run *.run.gz -m PRES@100,AP --html comparison.html\n"
      "  prescope compare qrels.txt a.run b.run --slices patents.jsonl.gz --slice-by "
      "section,source\n"
      "  prescope compare qrels.txt a.run b.run --test wilcoxon --correction none");
}

}  // namespace prescope::cli
