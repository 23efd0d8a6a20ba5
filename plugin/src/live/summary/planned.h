#pragma once

#include "live/ledger/ledger.h"

namespace prescope {

/// An arm that is compared with the first one.
struct ComparedPair {
  ArmIndex b{};
  bool is_shown = true;    ///< both arms are compared; if not, nothing is known about the pair
  bool is_vetoed = false;  ///< one of its checks is a veto
};

/// Returns the planned test of a pair; nothing without a plan. `alpha` is the share of the pair.
[[nodiscard]] std::optional<PlannedTest> planned_test(const Ledger& ledger,
                                                      const ComparedPair& pair, double alpha);

/// Returns what is known about each guardrail of a pair. With a plan they are judged at its looks,
/// else whenever one looks.
[[nodiscard]] std::vector<GuardrailSummary> guardrails_of(const Ledger& ledger,
                                                          const ComparedPair& pair,
                                                          const LatencyRatio& latency);

/// Returns whether the arms are the same within a margin; nothing if nobody asked.
[[nodiscard]] std::optional<Equivalence> equivalence_of(const Ledger& ledger,
                                                        const ComparedPair& pair);

}  // namespace prescope
