#include "cli/evaluation_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/in_parallel.h"
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

void add_evaluation_flags(CommandParser& parser, EvaluationFlags& flags) {
  parser.option("-m,--measures", flags.measures, "M,M",
                fmt::format("Measures, such as PRES@100,nDCG@10 ({})", kDefaultMeasures));
  add_run_flags(parser, flags);
}

void add_run_flags(CommandParser& parser, EvaluationFlags& flags) {
  parser.option("--order", flags.order, "ORDER",
                "What ranks: trec, score then docno, both descending; or file, the order of "
                "the lines (trec)");
  parser.option("--score", flags.score, "TYPE",
                "Scores are compared as double, as trec_eval 10 does, or float, as 9 (double)");
  parser.option("--docno", flags.docno, "POLICY",
                "When docnos are the same document: raw, publication, patent, family (raw)");
  parser.option("--family-map", flags.family_map, "FILE",
                "Lines 'docno family', for --docno family");
  parser.option("--min-grade", flags.min_grade, "N", "Grade from which a document is relevant (1)");
  parser.option("--depth", {flags.depth, 1}, "N",
                "Ranks that count; the rest was not retrieved (all)");
  parser.flag("--judged-only", flags.judged_only,
              "Remove documents without a judgement before ranks are given");
  parser.option("--topics", flags.topics, "WHICH",
                "all: a topic that a run has not counts 0; run: it is left out (all)");
  parser.option("--threads", {flags.threads, 1, kMostThreads}, "N",
                "Threads that read runs and qrels (1)");
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

Qrels load_qrels(const EvaluationFlags& flags) {
  return Qrels::load(flags.qrels, {.docno = parse_docno_policy(flags.docno),
                                   .family_map = flags.family_map,
                                   .min_grade = flags.min_grade,
                                   .threads = flags.threads});
}

std::vector<RunFacts> read_runs(const Qrels& qrels, std::span<const std::string> paths,
                                const EvaluationFlags& flags) {
  check_standard_input(flags, paths);
  ReadRunOptions options = read_run_options_of(flags);
  if (std::min<std::size_t>(flags.threads, paths.size()) > 1) options.threads = 1;
  std::vector<RunFacts> runs(paths.size());
  in_parallel(paths.size(), flags.threads,
              [&](std::size_t i) { runs[i] = read_run_facts(qrels, paths[i], options); });
  return runs;
}

}  // namespace prescope::cli
