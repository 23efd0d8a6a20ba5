#include "cli/trec_eval_command.h"

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/terminal.h"
#include "cli/trec_eval_help.h"
#include "cli/trec_eval_options.h"
#include "core/trec_eval/repeated_judgement.h"
#include "core/trec_eval/trec_eval.h"
#include "prescope/error.h"
#include "prescope/qrels.h"

namespace prescope::cli {
namespace {

using Task = TrecEvalOptions::Task;

/// trec_eval 10 stops at a topic that the run has not; 9 and the manual leave it out.
void note_missing_topics(const Qrels& qrels, const RunFacts& facts) {
  const std::size_t missing = qrels.topics().size() - facts.topics.size();
  if (missing == 0) return;
  auto in_run = facts.topics.begin();
  std::uint32_t first = 0;
  while (in_run != facts.topics.end() && in_run->topic == TopicIndex(first)) ++in_run, ++first;
  print_note(fmt::format(
      "{}: {} of {} judged topics are not in the run, such as '{}'; they are in no mean (-c counts "
      "them 0)",
      facts.path == "-" ? "standard input" : facts.path, missing, qrels.topics().size(),
      qrels.topic(TopicIndex(first)).id().text()));
}

/// Qrels count a line that repeats another once. trec_eval does not take it.
Qrels load_qrels(const TrecEvalOptions& options) {
  Qrels qrels =
      Qrels::load(options.qrels, {.min_grade = options.min_grade, .threads = options.threads});
  if (qrels.repeated() == 0) return qrels;
  const auto repeated = trec_eval::find_repeated_judgement(options.qrels);
  if (!repeated) return qrels;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format("{}:{}: docno '{}' is judged twice in topic '{}'; remove one of the two "
                  "lines, or use 'prescope evaluate', which counts it once",
                  options.qrels, repeated->line, repeated->docno.text(), repeated->topic.text()));
}

void evaluate(const TrecEvalOptions& options) {
  trec_eval::Options report = options.report;
  trec_eval::ZScores z_scores;
  if (!options.z_scores.empty()) {
    z_scores = trec_eval::ZScores::load(options.z_scores);
    report.z_scores = &z_scores;
  }
  const Qrels qrels = load_qrels(options);
  const RunFacts facts = read_run_facts(qrels, options.run, {.threads = options.threads});
  trec_eval::write(qrels, facts, report, print_result);
  if (!report.complete) note_missing_topics(qrels, facts);
}

}  // namespace

int run_trec_eval(int argc, char** argv) {
  const TrecEvalOptions options = parse_trec_eval_options(argc, argv);
  switch (options.task) {
    case Task::kHelp:
      print_result(trec_eval_help(options.report.measures));
      break;
    case Task::kVersion:
      print_result("prescope " PRESCOPE_VERSION ", in the form of trec_eval 10.0\n");
      break;
    case Task::kEvaluate:
      evaluate(options);
      break;
  }
  return kExitOk;
}

}  // namespace prescope::cli
