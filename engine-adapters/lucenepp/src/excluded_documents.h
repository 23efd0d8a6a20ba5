#pragma once

#include <vector>

#include "docno_terms.h"
#include "prescope/types.h"

namespace prescope::lucenepp {

/// Adds a clause to `query` that excludes these documents; depth, counts and the scores of all
/// other documents stay the same. `docids` ascending; `leaves` are those of the reader that will be
/// searched.
void exclude(const Lucene::BooleanQueryPtr& query, const std::vector<Leaf>& leaves,
             std::vector<DocId> docids);

/// Returns whether `exclude` made the filter.
[[nodiscard]] bool is_exclusion(const Lucene::Filter& filter) noexcept;

}  // namespace prescope::lucenepp
