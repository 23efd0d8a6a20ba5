#include <memory>

#include "cli/commands/commands.h"
#include "cli/commands/study_command.h"
#include "cli/options/terminal.h"
#include "report/runs/comparison_report.h"
#include "serve/site/page.h"
#include "studies/robustness.h"

namespace prescope::cli {

namespace {

constexpr std::uint32_t kMostFlips = 10'000'000, kMostSamples = 100'000;

enum class ComparisonFormat { kTable, kJson, kMarkdown };

struct CompareRequest {
  EvaluationFlags flags;
  std::vector<std::string> runs;
  PairedTest test = PairedTest::kT;
  Correction correction = Correction::kHolm;
  std::optional<double> confidence;
  std::optional<double> alpha;
  double power = PowerOptions().power;
  std::optional<double> target_difference;
  SignFlipOptions sign_flip;
  std::optional<std::size_t> top;
  std::vector<std::string> robustness;
  std::uint32_t robustness_samples = VerdictRobustnessOptions().samples;
  ComparisonFormat format = ComparisonFormat::kTable;
  ResultFiles files{"--json and --html cannot both be standard output ('-')"};
};

void check_share(std::string_view flag, double value) {
  if (value > 0.0 && value < 1.0) return;
  throw Error(ErrorCode::kUsage, fmt::format("{}: {} is not between 0 and 1", flag, value));
}

std::optional<double> checked_target(const std::optional<double>& target) {
  if (!target || (*target > 0.0 && *target < 1e300)) return target;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("--target-difference: {} is not a difference above 0, such as 0.01", *target));
}

/// An interval at 1 - alpha excludes 0 where the t test says so at alpha: one follows the other.
void set_alpha_and_confidence(const CompareRequest& request, CompareOptions& options) {
  double& alpha = options.power.alpha;
  if (request.alpha) {
    alpha = *request.alpha;
  } else if (request.confidence) {
    alpha = clean_difference(1.0, *request.confidence);
  }
  options.confidence = request.confidence.value_or(clean_difference(1.0, alpha));
  check_share(request.alpha ? "--alpha" : "--confidence",
              request.alpha ? alpha : options.confidence);
  check_share("--confidence", options.confidence);
}

CompareOptions options_of(const CompareRequest& request) {
  CompareOptions options;
  options.evaluate = request.flags.evaluate;
  options.test = request.test;
  options.correction = request.correction;
  set_alpha_and_confidence(request, options);
  check_share("--power", request.power);
  options.power.power = request.power;
  options.target_difference = checked_target(request.target_difference);
  options.sign_flip = request.sign_flip;
  options.top = request.top.value_or(options.top);
  return options;
}

/// A table of many runs stays readable: what moved in each of them is for those who ask.
ComparisonTableOptions table_options_of(const CompareRequest& request) {
  ComparisonTableOptions options{.color = stdout_color()};
  if (request.top) {
    options.moved = *request.top;
  } else if (request.runs.size() > 2) {
    options.moved = 0;
  }
  return options;
}

std::string result_text(const CompareRequest& request, const ComparisonReport& report) {
  switch (request.format) {
    case ComparisonFormat::kJson:
      return comparison_json(report);
    case ComparisonFormat::kMarkdown:
      return comparison_markdown(report, table_options_of(request));
    case ComparisonFormat::kTable:
      break;
  }
  return comparison_table(report, table_options_of(request));
}

void check_request(const CompareRequest& request) {
  if (request.runs.size() < 2) {
    throw Error(ErrorCode::kUsage,
                "expected QRELS and at least two runs, the first of them the baseline; see "
                "'prescope compare --help'");
  }
  check_standard_input(request.flags, request.runs);
}

/// What compare_runs decides by, on judgements that are sampled.
std::optional<VerdictRobustnessOptions> robustness_of(const CompareRequest& request,
                                                      const CompareOptions& options) {
  if (request.robustness.empty()) return std::nullopt;
  return VerdictRobustnessOptions{.fractions = share_list("--robustness", request.robustness),
                                  .samples = request.robustness_samples,
                                  .seed = std::to_string(options.sign_flip.seed),
                                  .test = options.test,
                                  .correction = options.correction,
                                  .alpha = options.power.alpha,
                                  .sign_flip = options.sign_flip,
                                  .threads = request.flags.read.threads};
}

VerdictRobustness test_robustness(const JudgedRuns& runs, const Comparison& comparison,
                                  const VerdictRobustnessOptions& options) {
  std::vector<const RunFacts*> facts;
  for (const RunFacts& run : runs.facts) facts.push_back(&run);
  return verdict_robustness(ranked_runs(runs.qrels, facts, comparison.options.evaluate),
                            Scorer(comparison.measures), options);
}

ComparisonReport compare(const JudgedRuns& runs, EvaluationReport evaluation,
                         const CompareOptions& options) {
  std::vector<ScoredRun> scored;
  for (const EvaluatedRun& run : evaluation.runs) scored.push_back({run.facts, &run.evaluation});
  Comparison comparison = compare_runs(runs.qrels, scored, options);
  return {.evaluation = std::move(evaluation), .comparison = std::move(comparison)};
}

void run_compare(CompareRequest& request) {
  check_request(request);
  const CompareOptions options = options_of(request);
  const std::vector<Measure> measures = comparable_measures(measures_of(request.flags.measures));
  const auto robustness = robustness_of(request, options);
  request.files.open();

  const JudgedRuns runs = load_runs(request.flags, request.runs);
  ComparisonReport report =
      compare(runs, score_runs(runs, request.flags, run_names(request.runs), measures), options);
  if (robustness) report.robustness = test_robustness(runs, report.comparison, *robustness);
  const auto text =
      request.files.write({{"--json", [&] { return comparison_json(report); }},
                           {"--html", [&] { return serve::comparison_page(report); }}});
  print_result(text ? *text : result_text(request, report));
}

void add_statistics_flags(Command& command, CompareRequest& request) {
  add_test_flag(command, request.test,
                "Whose p decides: t; sign-flip; wilcoxon, as in the PRES paper (t)");
  add_correction_flag(command, request.correction,
                      "For several measures and runs: holm, bh, none (holm)");
  command.add("--confidence", request.confidence, "SHARE", "Of intervals (1 - alpha)");
  command.add("--alpha", request.alpha, "SHARE", "Chance of a false claim that is accepted (0.05)");
  command.add("--power", request.power, "SHARE", "Chance to show a difference that is there (0.8)");
  command.add("--target-difference", request.target_difference, "D",
              "Topics needed to show this difference (the one seen)");
  command.add("--seed", request.sign_flip.seed, "N", "Of the sign-flip test's draws (1)");
  command.add("--flips", request.sign_flip.flips, "N",
              "Draws of the sign-flip test where more than 20 topics differ (9999)",
              Limits{1, kMostFlips});
  command.add("--robustness", request.robustness, "F,F",
              "How often would the verdicts change if only these shares of the citations were "
              "known, such as 0.8");
  command.add("--robustness-samples", request.robustness_samples, "N",
              "Draws of citations for each share (100)", Limits{1, kMostSamples});
}

void add_output_flags(Command& command, CompareRequest& request) {
  command.add("--top", request.top, "N",
              "Topics that moved most, listed for each run (10; in a table or Markdown of "
              "several runs 0)");
  using Format = ComparisonFormat;
  command.add_choice(
      "--format", request.format,
      {{"table", Format::kTable}, {"json", Format::kJson}, {"markdown", Format::kMarkdown}},
      "FORMAT", "On stdout: table, json, markdown (table)");
  request.files.add(command, "--json",
                    "Write everything as JSON, too; - for stdout, nothing else then");
  request.files.add(
      command, "--html",
      "Write one page with plots that opens in any browser, too; - for stdout, nothing "
      "else then");
}

}  // namespace

void add_compare_command(Command& program) {
  const auto request = std::make_shared<CompareRequest>();
  Command& command = program.add_command(
      "compare",
      "Compare runs with a baseline run: differences, how sure they are, which citations made "
      "them.");
  command.add("QRELS", request->flags.qrels, "FILE", "Judgements; - for stdin")->required();
  command
      .add("RUN", request->runs, "FILE",
           "TREC runs, plain or gzip, at least two: the baseline first; - for stdin")
      ->required();
  add_evaluation_flags(command, request->flags);
  add_statistics_flags(command, *request);
  add_output_flags(command, *request);
  command.footer(
      "Examples:\n"
      "  prescope compare qrels.txt old.run new.run\n"
      "  prescope compare qrels.txt baseline.run *.run.gz -m PRES@100,AP --html comparison.html\n"
      "  prescope compare qrels.txt a.run b.run --test wilcoxon --correction none");
  command.set_body([request] { run_compare(*request); });
}

}  // namespace prescope::cli
