#pragma once

#include <string_view>

#include "runs/scan/run_facts.h"

namespace prescope {

/// Reference for `read_run_facts`, computed the plain way: keeps all lines and sorts every topic as
/// trec_eval does. Throws at the first malformed line.
[[nodiscard]] RunFacts plain_run_facts(const Qrels& qrels, std::string_view text,
                                       ScorePrecision precision = ScorePrecision::kDouble);

}  // namespace prescope
