#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "trec_eval/trec_eval.h"

namespace prescope::cli {

namespace {

/// How the scores are written.
struct EvaluationFormat {
  std::string (*text)(const EvaluationReport& report);  ///< null: as trec_eval
  bool has_place_for_notes;  ///< if not, all lines are data, and the notes go to stderr
};

std::string evaluation_text(const EvaluationReport& report, const TextLook& look) {
  return document_as_text(evaluation_document(report, ReportSection::Formats::kText, look), look);
}

std::string plain_table(const EvaluationReport& report) { return evaluation_text(report, {}); }

std::string evaluation_markdown(const EvaluationReport& report) {
  return document_as_markdown(evaluation_document(report, ReportSection::Formats::kMarkdown));
}

struct EvaluateRequest {
  EvaluationFlags flags;
  std::string names;
  EvaluationFormat format{plain_table, true};
  std::string output;
  bool per_topic = false;
};

std::vector<std::string> names_of(const EvaluateRequest& request) {
  if (request.names.empty()) return run_names(request.flags.runs);
  std::vector<std::string> names = split(request.names, ',');
  if (names.size() == request.flags.runs.size()) return names;
  throw usage_error("--names: {} names for {} runs; give one for each, parted by commas",
                    names.size(), request.flags.runs.size());
}

/// Measures as trec_eval has them behind -m: in "P.5,10,map" the 10 is a cutoff of P, in
/// "ndcg.1=3,2=9" the 2=9 a gain of ndcg.
std::vector<std::string> trec_eval_measures(const std::vector<std::string>& lists) {
  std::vector<std::string> measures;
  if (lists.empty()) return measures;
  const std::string list = fmt::format("{}", fmt::join(lists, ","));
  for (const std::string& item : split(list, ',')) {
    const bool is_parameter = item.find_first_not_of("0123456789.-=") == item.npos;
    const bool in_brackets = !measures.empty() && measures.back().find('(') != item.npos &&
                             !measures.back().ends_with(')');
    if (!measures.empty() && (is_parameter || in_brackets)) {
      measures.back().append(",").append(item);
    } else {
      measures.push_back(item);
    }
  }
  return measures;
}

void write_trec_eval(const EvaluateRequest& request, const JudgedRuns& runs, OutputFile& file) {
  const EvaluateOptions& evaluate = request.flags.evaluate;
  const trec_eval::Options options{.measures = trec_eval_measures(request.flags.measures),
                                   .per_topic = request.per_topic,
                                   .complete = evaluate.topics == EvaluateOptions::Topics::kAll,
                                   .ranks = evaluate.ranks};
  for (const RunFacts& run : runs.facts) trec_eval::refuse_run(runs.qrels, run, options);
  for (const RunFacts& run : runs.facts) {
    trec_eval::write(runs.qrels, run, options, [&](std::string_view text) { file.append(text); });
  }
}

void run_evaluate(const EvaluateRequest& request) {
  const bool is_trec_eval = request.format.text == nullptr;
  // The measures of trec_eval have names of their own.
  const std::vector<Measure> measures =
      is_trec_eval ? measures_of({}) : measures_of(request.flags.measures);
  const std::vector<std::string> names = names_of(request);
  check_standard_input(request.flags);
  check_ties(request.flags);
  if (is_trec_eval && request.flags.ties) {
    throw usage_error("--ties: has no meaning with --format trec_eval, which has no line for it");
  }
  if (is_trec_eval && request.flags.qrels_options.collapses) {
    throw usage_error("--collapse: has no meaning with --format trec_eval, which ranks every line");
  }
  const bool has_slices = request.flags.slices.are_given();
  if (has_slices && !request.format.has_place_for_notes) {
    throw usage_error(
        "--slices, --slice-by: this format has no place for them; expected --format table, json or "
        "markdown");
  }
  OutputFile file(request.output, inputs_of(request.flags));

  const JudgedRuns runs = load_runs(request.flags);
  EvaluationReport report = score_runs(runs, request.flags, names, measures);
  report.slices = slices_of(request.flags, runs.qrels);
  if (is_trec_eval) report.measures.clear();  // nobody asked for the default ones
  if (request.per_topic) report.detail = EvaluationReport::Detail::kTopics;
  if (!request.format.has_place_for_notes) {
    for (const std::string& note : evaluation_notes(report)) print_note(note);
  }
  if (is_trec_eval) {
    write_trec_eval(request, runs, file);
  } else if (request.format.text == plain_table && file.is_stdout()) {
    file.append(evaluation_text(report, stdout_look()));
  } else {
    file.append(request.format.text(report));
  }
  file.finish();
}

}  // namespace

void add_evaluate_command(Command& program) {
  const auto [command, request] = program.add_command(
      "evaluate", "Score runs: PRES, Recall, MAP and more, per topic and on average.",
      run_evaluate);
  command.add("QRELS", request.flags.qrels, "FILE", "Judgements; - for stdin")->required();
  command.add("RUN", request.flags.runs, "FILE", "TREC runs, plain or gzip; - for stdin")
      ->required();
  add_evaluation_flags(command, request.flags);
  add_slice_flags(command, request.flags.slices);
  add_ties_flag(command, request.flags);
  command.add_flag("--per-topic", request.per_topic, "Write the scores of every topic, too");
  using Format = EvaluationFormat;
  command.add_choice("--format", request.format,
                     {{"table", Format{plain_table, true}},
                      {"trec_eval", Format{nullptr, false}},
                      {"json", Format{evaluation_json, true}},
                      {"csv", Format{evaluation_csv, false}},
                      {"tsv", Format{evaluation_tsv, false}},
                      {"markdown", Format{evaluation_markdown, true}}},
                     "FORMAT", "table, trec_eval, json, csv, tsv, markdown (table)");
  command.add("--names", request.names, "A,B", "Names of the runs (their files' names)");
  command.add("--output", request.output, "FILE", "Write here instead of stdout");
  command.footer(
      "Examples:\n"
      "  prescope evaluate qrels.txt bm25.run tfidf.run.gz -m PRES@100,R@100,AP\n"
      "  prescope evaluate qrels.txt *.run --docno patent --per-topic --format tsv > scores.tsv\n"
      "  zcat bm25.run.gz | prescope evaluate qrels.txt - --format trec_eval -m map,P.5,10");
}

}  // namespace prescope::cli
