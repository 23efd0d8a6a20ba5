#pragma once

#include <optional>
#include <vector>

#include "core/gate/gate_rules.h"
#include "core/gate/paired_topics.h"
#include "prescope/measure.h"

namespace prescope {

/// What a gate looks at. Borrows all of it.
struct GateSubject {
  const Baseline& baseline;
  const EvaluationRecord& tonight;
  const GateRules& rules;  ///< as applied
  const std::vector<PairedTopic>& topics;
  std::optional<Measure> moving{};
};

}  // namespace prescope
