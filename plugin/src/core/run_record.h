#pragma once

#include "core/evaluation.h"
#include "core/evaluation_record.h"
#include "core/run_facts.h"
#include "prescope/qrels.h"

namespace prescope {

/// What a run served for every topic of the qrels, ranked as `ranks` say: arm (its tag), source,
/// judgements, depth and topics. Time, measures and hint are the caller's to fill in. O(judged
/// documents retrieved).
[[nodiscard]] EvaluationRecord record_of_run(const Qrels& qrels, const RunFacts& facts,
                                             const RankOptions& ranks);

/// The topics of the qrels, ascending by id, nothing served for any of them.
[[nodiscard]] std::vector<EvaluationRecord::Topic> unserved_topics(const Qrels& qrels);

}  // namespace prescope
