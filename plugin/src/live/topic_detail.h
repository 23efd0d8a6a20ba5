#pragma once

#include <optional>
#include <span>

#include "live/ledger.h"
#include "live/summarize.h"
#include "prescope/summary.h"

namespace prescope {

/// Nothing for a topic that the qrels do not have; `arms` those of the ledger. No differences
/// without a PRES among the measures, and in Mode::kSplit, where each topic is of one arm.
/// O(judgements of the topic x pairs of arms).
[[nodiscard]] std::optional<TopicDetail> topic_detail(const Ledger& ledger,
                                                      std::span<const ArmFacts> arms,
                                                      const TopicId& id);

}  // namespace prescope
