#include "prescope/lucenepp/observed_multi_searcher.h"

#include <utility>

#include "observed_search.h"

#include <lucene++/LuceneHeaders.h>

namespace prescope::lucenepp {

ObservedMultiSearcher::ObservedMultiSearcher(Lucene::SearcherPtr inside, RankingTarget target)
    : inside_(std::move(inside)), target_(std::move(target)) {}

ObservedMultiSearcher::~ObservedMultiSearcher() = default;

Lucene::TopDocsPtr ObservedMultiSearcher::search(const Lucene::QueryPtr& query, int32_t n) {
  const Lucene::FilterPtr none;
  return ObservedSearch(target_, query, none).top_docs(n, [&] {
    return inside_->search(query, n);
  });
}

Lucene::TopDocsPtr ObservedMultiSearcher::search(const Lucene::QueryPtr& query,
                                                 const Lucene::FilterPtr& filter, int32_t n) {
  return ObservedSearch(target_, query, filter).top_docs(n, [&] {
    return inside_->search(query, filter, n);
  });
}

Lucene::TopFieldDocsPtr ObservedMultiSearcher::search(const Lucene::QueryPtr& query,
                                                      const Lucene::FilterPtr& filter, int32_t n,
                                                      const Lucene::SortPtr& sort) {
  return ObservedSearch(target_, query, filter).top_docs(n, sort, [&] {
    return inside_->search(query, filter, n, sort);
  });
}

void ObservedMultiSearcher::search(const Lucene::QueryPtr& query,
                                   const Lucene::CollectorPtr& results) {
  const Lucene::FilterPtr none;
  ObservedSearch(target_, query, none).collect(results, [&] { inside_->search(query, results); });
}

void ObservedMultiSearcher::search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                                   const Lucene::CollectorPtr& results) {
  ObservedSearch(target_, query, filter).collect(results, [&] {
    inside_->search(query, filter, results);
  });
}

Lucene::TopDocsPtr ObservedMultiSearcher::search(const Lucene::WeightPtr& weight,
                                                 const Lucene::FilterPtr& filter, int32_t n) {
  target_.experiment->count_unobserved_search();
  return inside_->search(weight, filter, n);
}

Lucene::TopFieldDocsPtr ObservedMultiSearcher::search(const Lucene::WeightPtr& weight,
                                                      const Lucene::FilterPtr& filter, int32_t n,
                                                      const Lucene::SortPtr& sort) {
  target_.experiment->count_unobserved_search();
  return inside_->search(weight, filter, n, sort);
}

void ObservedMultiSearcher::search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                                   const Lucene::CollectorPtr& results) {
  target_.experiment->count_unobserved_search();
  inside_->search(weight, filter, results);
}

Lucene::ExplanationPtr ObservedMultiSearcher::explain(const Lucene::QueryPtr& query, int32_t doc) {
  return inside_->explain(query, doc);
}

Lucene::ExplanationPtr ObservedMultiSearcher::explain(const Lucene::WeightPtr& weight,
                                                      int32_t doc) {
  return inside_->explain(weight, doc);
}

Lucene::QueryPtr ObservedMultiSearcher::rewrite(const Lucene::QueryPtr& query) {
  return inside_->rewrite(query);
}

Lucene::DocumentPtr ObservedMultiSearcher::doc(int32_t n) { return inside_->doc(n); }

Lucene::DocumentPtr ObservedMultiSearcher::doc(int32_t n,
                                               const Lucene::FieldSelectorPtr& fieldSelector) {
  return inside_->doc(n, fieldSelector);
}

int32_t ObservedMultiSearcher::docFreq(const Lucene::TermPtr& term) {
  return inside_->docFreq(term);
}

Lucene::Collection<int32_t> ObservedMultiSearcher::docFreqs(
    Lucene::Collection<Lucene::TermPtr> terms) {
  return inside_->docFreqs(terms);
}

int32_t ObservedMultiSearcher::maxDoc() { return inside_->maxDoc(); }

void ObservedMultiSearcher::setSimilarity(const Lucene::SimilarityPtr& wanted) {
  inside_->setSimilarity(wanted);
}

Lucene::SimilarityPtr ObservedMultiSearcher::getSimilarity() { return inside_->getSimilarity(); }

void ObservedMultiSearcher::close() { inside_->close(); }

}  // namespace prescope::lucenepp
