#include "cli/index_docno_hint.h"

#include <span>

#include "cli/replay_indexes.h"
#include "core/evaluation_record.h"
#include "prescope/experiment.h"

namespace prescope::cli {
namespace {

/// Relevant judgements of `qrels` that the arm's index carries; 0 where the engine does not say.
std::uint64_t carried(Qrels qrels, const ReplayArm& arm) {
  const std::uint64_t relevant = qrels_version(qrels).relevant;
  ExperimentOptions options;
  options.arms = {arm.config.id.text()};
  Experiment experiment(std::move(qrels), options);
  const std::span<const ReplayArm> arms(&arm, 1);
  const ReplayIndexes indexes(arms, load_engines(arms), experiment);
  const auto searchers = indexes.searchers();
  const auto missing = experiment.summary()->arms.front().relevant_missing;
  return missing ? relevant - *missing : 0;
}

}  // namespace

std::optional<DocnoHint> index_docno_hint(const Qrels& qrels, const ReplayArm& arm,
                                          std::uint64_t found) {
  DocnoHint best{.policy = qrels.docnos().policy(),
                 .judged = qrels_version(qrels).relevant,
                 .matched = found,
                 .would_match = found};
  for (const DocnoPolicy policy : coarser_policies(best.policy)) {
    const std::uint64_t would_match = carried(under_policy(qrels, policy), arm);
    if (would_match <= best.would_match) continue;
    best.policy = policy;
    best.would_match = would_match;
  }
  return is_worth_a_word(best.matched, best.would_match) ? std::optional(best) : std::nullopt;
}

}  // namespace prescope::cli
