#include "cli/scored_runs.h"

#include <fmt/format.h>

#include "core/in_parallel.h"
#include "prescope/error.h"

namespace prescope::cli {
namespace {

void check_common_topics(const Qrels& qrels, const EvaluationFlags& flags, const RunFacts& run) {
  if (!run.topics.empty()) return;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format("{}: no topic in common with {}: it has '{}', the qrels have '{}'; "
                  "expected the same topic ids in both",
                  run.path, flags.qrels, run.unjudged.empty() ? "" : run.unjudged.front().text(),
                  qrels.topics().front().id().text()));
}

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

JudgedRuns load_runs(const EvaluationFlags& flags, std::span<const std::string> paths) {
  Qrels qrels = load_qrels(flags);
  std::vector<RunFacts> facts = read_runs(qrels, paths, flags);
  for (const RunFacts& run : facts) check_common_topics(qrels, flags, run);
  return {.qrels = std::move(qrels), .facts = std::move(facts)};
}

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
