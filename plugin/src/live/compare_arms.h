#pragma once

#include "live/experiment_state.h"
#include "prescope/summary.h"

namespace prescope {

/// B against A, topic by topic; the ledger mutex must be held.
ArmPair compare_arms(const Experiment::State& state, ArmIndex a, ArmIndex b);

}  // namespace prescope
