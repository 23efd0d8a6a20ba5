#pragma once

#include "live/summary/planned.h"

namespace prescope {

/// Returns how far the pair is from a verdict about the primary measure; its differences and its
/// planned test must be set. Nothing in Mode::kObserve.
[[nodiscard]] std::optional<Outlook> outlook_of(const Ledger& ledger, const ComparedPair& pair,
                                                const ArmPair& so_far);

}  // namespace prescope
