#pragma once

#include <span>
#include <string>

#include "report/text/json.h"
#include "studies/robustness.h"

namespace prescope {

/// How verdicts fare where citations are unknown; `docs/compare-json.md` names every key. `names`
/// of the runs or arms, the baseline first.
[[nodiscard]] Json robustness_json(const VerdictRobustness& robustness,
                                   std::span<const std::string> names);

}  // namespace prescope
