#pragma once

#include <optional>

#include "nightly/gate/gate_rules.h"

namespace prescope {

/// The rules with nothing left to a default, for this baseline. Throws Error(kUsage), all problems
/// at once: a value out of its range, a measure that cannot decide or that the baseline was not
/// made for, a baseline without PRES where no measure is named.
[[nodiscard]] GateRules applied_rules(const Baseline& baseline, const GateRules& rules);

/// What citations are counted by: the first PRES@N that decides, or else the first R@N.
[[nodiscard]] std::optional<Measure> moving_measure(const GateRules& applied);

}  // namespace prescope
