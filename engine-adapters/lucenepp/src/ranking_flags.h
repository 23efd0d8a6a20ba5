#pragma once

#include "prescope/ranking.h"

#include <lucene++/Lucene.h>

#include <lucene++/Collection.h>

namespace prescope::lucenepp {

/// Returns kSorted unless the best score comes first.
[[nodiscard]] RankingFlags order_of(const Lucene::Collection<Lucene::SortFieldPtr>& fields);

/// Returns kFiltered if `filter` is not null, or the query has a filter in it, as far as its parts
/// can be seen: a FilteredQuery anywhere; a ConstantScoreQuery that must match or must not, or that
/// is all of the query. The filters into which Lucene++ rewrites prefixes and ranges are none.
[[nodiscard]] RankingFlags filtering_of(const Lucene::QueryPtr& query,
                                        const Lucene::FilterPtr& filter);

}  // namespace prescope::lucenepp
