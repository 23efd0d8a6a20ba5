#pragma once

#include "live/ledger/ledger.h"
#include "support/plain_ledger.h"

namespace prescope {

/// Adds GoogleTest failures if the ledgers differ by more than 1e-12.
void expect_same(const Ledger& ledger, const PlainLedger& plain);

}  // namespace prescope
