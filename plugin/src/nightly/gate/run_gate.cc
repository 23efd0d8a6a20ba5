#include "base/errors.h"
#include "nightly/gate/gate.h"
#include "runs/offline_runs.h"

namespace prescope {

namespace {

/// The measures of the record are the usual ones, and those that decide.
EvaluationRecord record_of(const JudgedRun& run, const RankOptions& ranks, const GateRules& rules) {
  constexpr Cutoff kUsual{100};
  EvaluationRecord record = record_of_run(run.qrels(), OfflineRuns::facts(run), ranks);
  record.measures = default_measures({{kUsual}});
  for (const GateRules::Decision& decision : rules.decisions) {
    record.measures.push_back(decision.measure);
  }
  return record;
}

}  // namespace

GateResult gate(const JudgedRun& baseline, const JudgedRun& tonight, const GateOptions& options) {
  if (options.scoring.only_topics_of_run) {
    throw usage_error(
        "only_topics_of_run is set; a gate looks at all topics of the judgements, so leave it out");
  }
  const RankOptions ranks = evaluate_options_of(options.scoring).ranks;
  const GateRules rules = gate_rules_of(options.rules);
  const Baseline pinned{.name = "baseline run", .evaluation = record_of(baseline, ranks, rules)};
  GateVerdict verdict = gate(pinned, record_of(tonight, ranks, rules), rules,
                             {.slices = gate_slices(rules, pinned.evaluation)});
  GateResult& answer = verdict;  // its public part
  return std::move(answer);
}

}  // namespace prescope
