#pragma once

#include <span>

#include "live/ledger.h"
#include "live/summarize.h"
#include "prescope/summary.h"

namespace prescope {

/// A topic as every arm last served it; `arms` those of the ledger. O(judged hits x arms).
[[nodiscard]] TopicRow topic_row(const Ledger& ledger, std::span<const ArmFacts> arms,
                                 TopicIndex topic);

}  // namespace prescope
