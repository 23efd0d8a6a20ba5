#pragma once

#include <vector>

#include "docno_terms.h"
#include "prescope/types.h"

namespace prescope::lucenepp {

/// Adds to `query` that these documents do not match it: as a clause, so that depth, counts and the
/// scores of all other documents stay what they are. `docids` ascending; `leaves` are those of the
/// reader that will be searched.
void exclude(const Lucene::BooleanQueryPtr& query, const std::vector<Leaf>& leaves,
             std::vector<DocId> docids);

}  // namespace prescope::lucenepp
