#pragma once

#include <string_view>

#include "runs/run_facts.h"

namespace prescope {

/// What `read_run_facts` is to give for a run of this text, found out the plain way: all lines
/// kept, every topic sorted as trec_eval sorts it. Throws for the first malformed line.
[[nodiscard]] RunFacts plain_run_facts(const Qrels& qrels, std::string_view text,
                                       ScorePrecision precision = ScorePrecision::kDouble);

}  // namespace prescope
