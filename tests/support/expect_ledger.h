#pragma once

#include <string>

#include "live/ledger/ledger.h"
#include "prescope/summary.h"
#include "support/plain_ledger.h"

namespace prescope {

/// Returns the first number in which the ledgers differ by more than 1e-12, in words; empty if
/// there is none.
[[nodiscard]] std::string difference_of(Ledger& ledger, const PlainLedger& plain);

/// The same for a summary, whose verdicts share `alpha`; the textbook formulas on the plain
/// ledger's visits are its reference. Its health is not compared.
[[nodiscard]] std::string difference_of(const Summary& summary, const PlainLedger& plain,
                                        double alpha);

}  // namespace prescope
