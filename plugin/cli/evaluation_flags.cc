#include "cli/evaluation_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <thread>

#include "prescope/error.h"

namespace prescope::cli {
namespace {

constexpr const char* kDefaultMeasures = "PRES@100,R@100,PRES@1000,R@1000,AP";

/// Position of the word among the valid ones.
template <std::size_t N>
std::size_t choice(std::string_view flag, const std::string& word,
                   const std::array<std::string_view, N>& valid) {
  const auto at = std::find(valid.begin(), valid.end(), word);
  if (at == valid.end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: {}", flag, unknown_name_message("value", word, valid)));
  }
  return static_cast<std::size_t>(at - valid.begin());
}

}  // namespace

void add_evaluation_flags(CLI::App& parser, EvaluationFlags& flags) {
  parser
      .add_option("-m,--measures", flags.measures,
                  fmt::format("Measures, such as PRES@100,nDCG@10 ({})", kDefaultMeasures))
      ->type_name("M,M");
  parser
      .add_option("--order", flags.order,
                  "What ranks: trec, score then docno, both descending; or file, the order of "
                  "the lines (trec)")
      ->type_name("ORDER");
  parser
      .add_option("--score", flags.score,
                  "Scores are compared as double, as trec_eval 10 does, or float, as 9 (double)")
      ->type_name("TYPE");
  parser
      .add_option("--docno", flags.docno,
                  "When docnos are the same document: raw, publication, patent, family (raw)")
      ->type_name("POLICY");
  parser.add_option("--family-map", flags.family_map, "Lines 'docno family', for --docno family")
      ->type_name("FILE");
  parser.add_option("--min-grade", flags.min_grade, "Grade from which a document is relevant (1)")
      ->type_name("N");
  parser.add_option("--depth", flags.depth, "Ranks that count; the rest was not retrieved (all)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  parser.add_flag("--judged-only", flags.judged_only,
                  "Remove documents without a judgement before ranks are given");
  parser
      .add_option("--topics", flags.topics,
                  "all: a topic that a run has not counts 0; run: it is left out (all)")
      ->type_name("WHICH");
  parser.add_option("--threads", flags.threads, "Threads that read runs (1)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

std::vector<Measure> measures_of(const EvaluationFlags& flags) {
  return parse_measures(flags.measures.empty() ? kDefaultMeasures : flags.measures);
}

EvaluateOptions evaluate_options_of(const EvaluationFlags& flags) {
  constexpr std::array<std::string_view, 2> kOrders = {"trec", "file"};
  constexpr std::array<std::string_view, 2> kTopics = {"all", "run"};
  EvaluateOptions options;
  options.ranks.order =
      choice("--order", flags.order, kOrders) == 0 ? RunOrder::kTrec : RunOrder::kFile;
  options.ranks.judged_only = flags.judged_only;
  if (flags.depth != 0) options.ranks.depth = flags.depth;
  options.topics = choice("--topics", flags.topics, kTopics) == 0 ? EvaluateOptions::Topics::kAll
                                                                  : EvaluateOptions::Topics::kRun;
  return options;
}

ReadRunOptions read_run_options_of(const EvaluationFlags& flags) {
  constexpr std::array<std::string_view, 2> kPrecisions = {"double", "float"};
  return {.score = choice("--score", flags.score, kPrecisions) == 0 ? ScorePrecision::kDouble
                                                                    : ScorePrecision::kFloat,
          .threads = flags.threads};
}

Qrels load_qrels(const EvaluationFlags& flags) {
  return Qrels::load(flags.qrels, {.docno = parse_docno_policy(flags.docno),
                                   .family_map = flags.family_map,
                                   .min_grade = flags.min_grade});
}

std::vector<RunFacts> read_runs(const Qrels& qrels, std::span<const std::string> paths,
                                const EvaluationFlags& flags) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw Error(ErrorCode::kUsage, "standard input ('-') can be one run only; it is named twice");
  }
  ReadRunOptions options = read_run_options_of(flags);
  const auto workers = std::min<std::size_t>(flags.threads, paths.size());
  if (workers > 1) options.threads = 1;
  std::vector<RunFacts> runs(paths.size());
  std::vector<std::exception_ptr> failures(paths.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      try {
        runs[i] = read_run_facts(qrels, paths[i], options);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return runs;
}

}  // namespace prescope::cli
