#include "prescope/lucenepp/observed_searcher.h"

#include <utility>

namespace prescope::lucenepp {

ObservedSearcher::ObservedSearcher(const Lucene::IndexReaderPtr& searched, RankingTarget target)
    : Lucene::IndexSearcher(searched), target_(std::move(target)) {}

ObservedSearcher::~ObservedSearcher() = default;

// Like Searcher::search, but a query that cannot be made into a weight counts as failed, too.
Lucene::TopDocsPtr ObservedSearcher::search(const Lucene::QueryPtr& query,
                                            const Lucene::FilterPtr& filter, int32_t n) {
  return search(target_.observe_failures_of([&] { return createWeight(query); }), filter, n);
}

Lucene::TopFieldDocsPtr ObservedSearcher::search(const Lucene::QueryPtr& query,
                                                 const Lucene::FilterPtr& filter, int32_t n,
                                                 const Lucene::SortPtr& sort) {
  return search(target_.observe_failures_of([&] { return createWeight(query); }), filter, n, sort);
}

Lucene::TopDocsPtr ObservedSearcher::search(const Lucene::WeightPtr& weight,
                                            const Lucene::FilterPtr& filter, int32_t n) {
  return target_.observe_search(n, RankingFlags::kNone,
                                [&] { return Lucene::IndexSearcher::search(weight, filter, n); });
}

Lucene::TopFieldDocsPtr ObservedSearcher::search(const Lucene::WeightPtr& weight,
                                                 const Lucene::FilterPtr& filter, int32_t n,
                                                 const Lucene::SortPtr& sort, bool fillFields) {
  return target_.observe_search(n, RankingFlags::kSorted, [&] {
    return Lucene::IndexSearcher::search(weight, filter, n, sort, fillFields);
  });
}

}  // namespace prescope::lucenepp
