#pragma once

#include <vector>

#include "core/gate/gate.h"
#include "core/gate/gate_subject.h"

namespace prescope {

/// Each deciding measure: whether it may have got worse by its margin or more.
[[nodiscard]] std::vector<GateVerdict::MeasureResult> compare_with_margins(
    const GateSubject& subject);

/// What a result says of the margin, in a sentence.
[[nodiscard]] GateVerdict::Rule margin_rule(const GateVerdict::MeasureResult& result,
                                            double confidence);

}  // namespace prescope
