#pragma once

#include <vector>

#include "prescope/resolved_qrels.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::xapian {

/// Returns the judged documents of a database, in any order. Of those that `known` was made for, an
/// earlier table of the same state, none is looked up again; null if there is none. Throws
/// Error(kEngine) if there are documents but no docnos; exceptions of Xapian pass through.
[[nodiscard]] std::vector<Resolution> find_judged(const Xapian::Database& database,
                                                  const ObservedIndexOptions& place,
                                                  const JudgedDocnos& judged,
                                                  const ResolvedQrels* known);

}  // namespace prescope::xapian
