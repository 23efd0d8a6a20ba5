#pragma once

#include <vector>

#include "live/ledger.h"
#include "prescope/summary.h"

namespace prescope {

/// The topics whose first PRES differs between the rankings that arm 0 and `b` served last, largest
/// difference first; none where the experiment has no PRES, or each topic one arm.
[[nodiscard]] std::vector<TopicMove> topic_moves(const Ledger& ledger, ArmIndex b);

}  // namespace prescope
