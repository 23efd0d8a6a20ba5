#include "cli/options/evaluation_flags.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string_view>

#include "base/threads.h"
#include "prescope/error.h"

namespace prescope::cli {

namespace {

constexpr const char* kDefaultMeasures = "PRES@100,R@100,PRES@1000,R@1000,AP";

constexpr const char* kStandardInput = "-";

}  // namespace

std::size_t choice_of(std::string_view flag, std::string_view word,
                      std::span<const std::string_view> valid) {
  const auto at = std::ranges::find(valid, word);
  if (at == valid.end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: {}", flag, unknown_name_message("value", word, valid)));
  }
  return static_cast<std::size_t>(at - valid.begin());
}

void check_standard_input(const EvaluationFlags& flags, std::span<const std::string> runs) {
  const auto named =
      std::ranges::count(runs, kStandardInput) + (flags.qrels == kStandardInput ? 1 : 0);
  if (named <= 1) return;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("standard input ('-') can be one file only; it is named {} times", named));
}

void add_evaluation_flags(Command& command, EvaluationFlags& flags) {
  command.add("-m,--measures", flags.measures, "M,M",
              fmt::format("Measures, such as PRES@100,nDCG@10 ({})", kDefaultMeasures));
  add_run_flags(command, flags);
}

void add_run_flags(Command& command, EvaluationFlags& flags) {
  command.add("--order", flags.order, "ORDER",
              "What ranks: trec, score then docno, both descending; or file, the order of "
              "the lines (trec)");
  command.add("--score", flags.score, "TYPE",
              "Scores are compared as double, as trec_eval 10 does, or float, as 9 (double)");
  command.add("--docno", flags.docno, "POLICY",
              "When docnos are the same document: raw, publication, patent, family (raw)");
  command.add("--family-map", flags.family_map, "FILE", "Lines 'docno family', for --docno family");
  command.add("--min-grade", flags.min_grade, "N", "Grade from which a document is relevant (1)");
  command.add("--depth", flags.depth, "N", "Ranks that count; the rest was not retrieved (all)",
              Limits{1});
  command.add_flag("--judged-only", flags.judged_only,
                   "Remove documents without a judgement before ranks are given");
  command.add("--topics", flags.topics, "WHICH",
              "all: a topic that a run has not counts 0; run: it is left out (all)");
  command.add("--threads", flags.threads, "N", "Threads that read runs (1)",
              Limits{1, kMostThreads});
}

std::vector<Measure> measures_of(const EvaluationFlags& flags) {
  if (flags.measures.empty()) return parse_measures(kDefaultMeasures);
  return parse_measures(fmt::format("{}", fmt::join(flags.measures, ",")));
}

EvaluateOptions evaluate_options_of(const EvaluationFlags& flags) {
  constexpr std::array<std::string_view, 2> kOrders = {"trec", "file"};
  constexpr std::array<std::string_view, 2> kTopics = {"all", "run"};
  EvaluateOptions options;
  options.ranks.order =
      choice_of("--order", flags.order, kOrders) == 0 ? RunOrder::kTrec : RunOrder::kFile;
  options.ranks.judged_only = flags.judged_only;
  if (flags.depth != 0) options.ranks.depth = flags.depth;
  options.topics = choice_of("--topics", flags.topics, kTopics) == 0
                       ? EvaluateOptions::Topics::kAll
                       : EvaluateOptions::Topics::kRun;
  return options;
}

ReadRunOptions read_run_options_of(const EvaluationFlags& flags) {
  constexpr std::array<std::string_view, 2> kPrecisions = {"double", "float"};
  return {.score = choice_of("--score", flags.score, kPrecisions) == 0 ? ScorePrecision::kDouble
                                                                       : ScorePrecision::kFloat,
          .threads = flags.threads};
}

QrelsOptions qrels_options_of(const EvaluationFlags& flags) {
  return {.docno = parse_docno_policy(flags.docno),
          .family_map = flags.family_map,
          .min_grade = flags.min_grade};
}

JudgedRuns load_runs(const EvaluationFlags& flags, std::span<const std::string> paths) {
  check_standard_input(flags, paths);
  return load_runs(flags.qrels, qrels_options_of(flags), paths, read_run_options_of(flags));
}

namespace {

/// What is known of a run but its name.
EvaluatedRun score_run(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                       const EvaluationFlags& flags) {
  const EvaluateOptions options = evaluate_options_of(flags);
  EvaluatedRun run{
      .name = {}, .facts = &facts, .evaluation = evaluate(qrels, facts, scorer, options)};
  run.oddities = run_oddities(qrels, facts, options.ranks, run.evaluation);
  run.order = order_effect(qrels, facts, scorer, options.ranks, run.evaluation);
  run.docno_hint = find_docno_hint(qrels, facts, read_run_options_of(flags));
  return run;
}

}  // namespace

EvaluationReport score_runs(const JudgedRuns& runs, const EvaluationFlags& flags,
                            std::span<const std::string> names,
                            const std::vector<Measure>& measures) {
  EvaluationReport report{.program = PRESCOPE_VERSION,
                          .qrels_path = flags.qrels,
                          .qrels = &runs.qrels,
                          .qrels_oddities = qrels_oddities(runs.qrels),
                          .options = evaluate_options_of(flags),
                          .score = read_run_options_of(flags).score,
                          .detail = EvaluationReport::Detail::kMeans,
                          .measures = measures,
                          .runs = std::vector<EvaluatedRun>(runs.facts.size())};
  const Scorer scorer(measures);
  in_parallel(runs.facts.size(), flags.threads, [&](std::size_t i) {
    report.runs[i] = score_run(runs.qrels, runs.facts[i], scorer, flags);
    report.runs[i].name = names[i];
  });
  return report;
}

}  // namespace prescope::cli
