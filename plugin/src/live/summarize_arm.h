#pragma once

#include <cstdint>

#include "live/ledger.h"
#include "live/summarize.h"
#include "prescope/summary.h"

namespace prescope {

/// `with_relevant`: topics of the qrels with relevant documents. O(topics x measures).
[[nodiscard]] ArmSummary summarize_arm(const Ledger& ledger, ArmIndex index, const ArmFacts& facts,
                                       std::uint32_t with_relevant);

}  // namespace prescope
