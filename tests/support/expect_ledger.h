#pragma once

#include "live/ledger/ledger.h"
#include "support/plain_ledger.h"

namespace prescope {

/// GoogleTest failures where the ledger says anything else than the plain one, to 1e-12.
void expect_same(const Ledger& ledger, const PlainLedger& plain);

}  // namespace prescope
