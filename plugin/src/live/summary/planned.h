#pragma once

#include "live/summary/summarize.h"

namespace prescope {

/// Returns the planned test of a pair; nothing without a plan. `alpha` is the share of the pair.
[[nodiscard]] std::optional<PlannedTest> planned_test(const Ledger& ledger, ArmIndex b,
                                                      const SummaryFacts& facts, double alpha,
                                                      bool is_vetoed);

/// Returns what is known about each guardrail of a pair, whose `latency` is set. With a plan they
/// are judged at its looks, else whenever one looks.
[[nodiscard]] std::vector<GuardrailSummary> guardrails_of(const Ledger& ledger, const ArmPair& pair,
                                                          const SummaryFacts& facts);

/// Returns whether the arms are the same within a margin; nothing if nobody asked.
[[nodiscard]] std::optional<Equivalence> equivalence_of(const Ledger& ledger, ArmIndex b,
                                                        const SummaryFacts& facts, bool is_vetoed);

}  // namespace prescope
