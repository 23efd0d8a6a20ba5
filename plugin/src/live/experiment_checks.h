#pragma once

#include <vector>

#include "prescope/experiment_options.h"
#include "prescope/measure.h"
#include "prescope/qrels.h"

namespace prescope {

/// The measures that the options ask for, each once. Throws Error(kUsage) naming everything that is
/// wrong with the options, Error(kBadInput) where the qrels have no topic.
[[nodiscard]] std::vector<Measure> checked_measures(const ExperimentOptions& options,
                                                    const Qrels& qrels);

}  // namespace prescope
