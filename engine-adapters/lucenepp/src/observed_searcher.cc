#include "prescope/lucenepp/observed_searcher.h"

#include <utility>

#include "observed_search.h"

namespace prescope::lucenepp {

// IndexSearcher's overloads call virtual functions, and so would end here again. The searcher
// inside searches with this one's weights, because a host's derived class may have other ones.

ObservedSearcher::ObservedSearcher(const Lucene::IndexReaderPtr& searched, RankingTarget target)
    : Lucene::IndexSearcher(searched),
      inside_(Lucene::newLucene<Lucene::IndexSearcher>(searched, subReaders, docStarts)),
      target_(std::move(target)) {}

ObservedSearcher::~ObservedSearcher() = default;

Lucene::TopDocsPtr ObservedSearcher::search(const Lucene::QueryPtr& query,
                                            const Lucene::FilterPtr& filter, int32_t n) {
  return ObservedSearch(target_, query, filter).top_docs(n, [&] {
    return inside_->search(createWeight(query), filter, n);
  });
}

Lucene::TopFieldDocsPtr ObservedSearcher::search(const Lucene::QueryPtr& query,
                                                 const Lucene::FilterPtr& filter, int32_t n,
                                                 const Lucene::SortPtr& sort) {
  return ObservedSearch(target_, query, filter).top_docs(n, sort, [&] {
    return inside_->search(createWeight(query), filter, n, sort);
  });
}

void ObservedSearcher::search(const Lucene::QueryPtr& query, const Lucene::CollectorPtr& results) {
  search(query, Lucene::FilterPtr(), results);
}

void ObservedSearcher::search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                              const Lucene::CollectorPtr& results) {
  ObservedSearch(target_, query, filter).collect(results, [&] {
    inside_->search(createWeight(query), filter, results);
  });
}

Lucene::TopDocsPtr ObservedSearcher::search(const Lucene::WeightPtr& weight,
                                            const Lucene::FilterPtr& filter, int32_t n) {
  target_.experiment->count_unobserved_search();
  return inside_->search(weight, filter, n);
}

Lucene::TopFieldDocsPtr ObservedSearcher::search(const Lucene::WeightPtr& weight,
                                                 const Lucene::FilterPtr& filter, int32_t n,
                                                 const Lucene::SortPtr& sort, bool fillFields) {
  target_.experiment->count_unobserved_search();
  return inside_->search(weight, filter, n, sort, fillFields);
}

void ObservedSearcher::search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                              const Lucene::CollectorPtr& results) {
  target_.experiment->count_unobserved_search();
  inside_->search(weight, filter, results);
}

void ObservedSearcher::setSimilarity(const Lucene::SimilarityPtr& wanted) {
  Lucene::IndexSearcher::setSimilarity(wanted);
  inside_->setSimilarity(wanted);
}

void ObservedSearcher::setDefaultFieldSortScoring(bool doTrackScores, bool doMaxScore) {
  Lucene::IndexSearcher::setDefaultFieldSortScoring(doTrackScores, doMaxScore);
  inside_->setDefaultFieldSortScoring(doTrackScores, doMaxScore);
}

}  // namespace prescope::lucenepp
