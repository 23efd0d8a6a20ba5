#include "cli/options/evaluation_flags.h"

#include "base/threads.h"
#include "measures/scorer.h"

namespace prescope::cli {

std::vector<std::string> inputs_of(const EvaluationFlags& flags) {
  std::vector<std::string> inputs = flags.runs;
  inputs.push_back(flags.qrels);
  inputs.push_back(flags.qrels_options.family_map.string());
  inputs.push_back(flags.slices.file);
  return inputs;
}

void check_standard_input(const EvaluationFlags& flags) {
  const auto named = std::ranges::count(flags.runs, kStandardInput) +
                     (flags.qrels == kStandardInput ? 1 : 0) +
                     (flags.slices.file == kStandardInput ? 1 : 0);
  if (named <= 1) return;
  throw usage_error("standard input ('-') can be one file only; it is named {} times", named);
}

void add_measures_flag(Command& command, EvaluationFlags& flags, const char* otherwise) {
  command.add("-m,--measures", flags.measures, "M,M",
              fmt::format("Measures, such as PRES@100,nDCG@10 ({})", otherwise));
}

void offer_docno_policies(Command& command) {
  std::vector<std::string> words;
  for (const DocnoPolicy policy :
       {DocnoPolicy::kRaw, DocnoPolicy::kPublication, DocnoPolicy::kPatent, DocnoPolicy::kFamily}) {
    words.emplace_back(to_string(policy));
  }
  command.offer("--docno", std::move(words));
}

void add_docno_flag(Command& command, DocnoPolicy& policy, const std::string& help) {
  command.add("--docno", policy, "POLICY", help);
  offer_docno_policies(command);
}

void add_evaluation_flags(Command& command, EvaluationFlags& flags, const char* otherwise) {
  add_measures_flag(command, flags, otherwise);
  add_run_flags(command, flags);
}

void add_ties_flag(Command& command, EvaluationFlags& flags) {
  command.add_flag("--ties", flags.ties,
                   "Give each score also its lowest and its highest value over all orders of "
                   "documents with the same score");
}

void add_slice_flags(Command& command, SliceFlags& flags) {
  command.add("--slices", flags.file, "FILE",
              "Slices of the topics: a table 'topic TAB slice' or with named columns, JSON lines "
              "with id, or a citation store");
  command.add(
      "--slice-by", flags.by, "D,D",
      "Dimensions of the slices: columns or fields of that file; of patents section, country "
      "and year; relevant, the number of relevant documents, needs no file");
}

SliceSource SliceFlags::source() const {
  SliceSource source{.file = file};
  for (const std::string& list : by) {
    std::ranges::move(slice_dimensions(list), std::back_inserter(source.by));
  }
  return source;
}

TopicSlices slices_of(const EvaluationFlags& flags, const Qrels& qrels) {
  return read_slices(flags.slices.source(), qrels);
}

void check_ties(const EvaluationFlags& flags) {
  if (!flags.ties || flags.evaluate.ranks.order == RunOrder::kTrec) return;
  throw usage_error("--ties: has no meaning with --order file, which has no ties");
}

void add_run_flags(Command& command, EvaluationFlags& flags) {
  command.add_choice(
      "--order", flags.evaluate.ranks.order, {{"trec", RunOrder::kTrec}, {"file", RunOrder::kFile}},
      "ORDER",
      "Order of a run: trec, by score then docno, both descending; or file, the order "
      "of the lines (trec)");
  command.add_choice(
      "--score", flags.read.score,
      {{"double", ScorePrecision::kDouble}, {"float", ScorePrecision::kFloat}}, "TYPE",
      "Scores are compared as double, as trec_eval 10 does, or float, as 9 (double)");
  add_docno_flag(
      command, flags.qrels_options.docno,
      "Docnos that are the same document: raw, publication, patent, family (raw, because a run "
      "names documents as its judgements do, and trec_eval compares bytes)");
  command.add("--family-map", flags.qrels_options.family_map, "FILE",
              "Lines 'docno family': tests count topics of one family once, and --docno family "
              "matches by it");
  command.add("--min-grade", flags.qrels_options.min_grade, "N",
              "Grade from which a document is relevant (1)");
  command.add_flag("--collapse", flags.qrels_options.collapses,
                   "Of the documents that --docno makes one, only the best ranked keeps its rank; "
                   "later ones move up");
  command.add("--rule", flags.qrels_options.rule, "RULE",
              "How citations of a citation store are judged: examiner, clef-ip,direct, ... "
              "(examiner)");
  add_category_flag(command, flags.qrels_options.categories);
  command.add("--depth", flags.evaluate.ranks.depth, "N",
              "Ranks that count; the rest was not retrieved (all)", Limits{1});
  command.add_flag("--judged-only", flags.evaluate.ranks.judged_only,
                   "Remove documents without a judgement before ranks are given");
  using Topics = EvaluateOptions::Topics;
  command.add_choice("--topics", flags.evaluate.topics,
                     {{"all", Topics::kAll}, {"run", Topics::kRun}}, "WHICH",
                     "all: topics missing from a run count 0; run: they are left out (all)");
  command.add("--threads", flags.read.threads, "N", "Threads that read runs (1)",
              Limits{1, kMostThreads});
}

std::vector<Measure> measures_of(const std::vector<std::string>& lists, const char* otherwise) {
  return distinct(
      parse_measures(lists.empty() ? otherwise : fmt::format("{}", fmt::join(lists, ","))));
}

JudgedRuns load_runs(const EvaluationFlags& flags) {
  check_standard_input(flags);
  return load_runs(flags.qrels, flags.qrels_options, flags.runs, flags.read);
}

EvaluationReport score_runs(const JudgedRuns& runs, const EvaluationFlags& flags,
                            std::span<const std::string> names,
                            const std::vector<Measure>& measures) {
  EvaluationReport report{.qrels_path = flags.qrels,
                          .qrels = &runs.qrels,
                          .categories = flags.qrels_options.categories,
                          .qrels_oddities = qrels_oddities(runs.qrels),
                          .options = flags.evaluate,
                          .score = flags.read.score,
                          .detail = EvaluationReport::Detail::kMeans,
                          .ties = flags.ties,
                          .measures = measures,
                          .runs = std::vector<EvaluatedRun>(runs.facts.size())};
  const Scorer scorer(measures);
  in_parallel(runs.facts.size(), flags.read.threads, [&](std::size_t i) {
    report.runs[i] = evaluated_run(report, names[i], runs.facts[i], scorer, flags.read);
  });
  return report;
}

}  // namespace prescope::cli
