#pragma once

#include <cstdint>
#include <memory>

#include "prescope/lucenepp/ranking_target.h"

// After ours: Lucene++ defines macros and unprefixed include guards.
#include <lucene++/Lucene.h>

#include <lucene++/IndexSearcher.h>
#include <lucene++/TopFieldDocs.h>

namespace prescope::lucenepp {

/// An IndexSearcher that shows each ranking it serves to an experiment. Hits, scores and exceptions
/// are those of IndexSearcher, unchanged; a failure of the plugin never reaches the caller.
///
/// A search by a query is observed once, under the QueryScope of the calling thread, if it answers
/// TopDocs, or if `create` of TopScoreDocCollector or TopFieldCollector made its collector. A
/// search that throws is observed as failed, with TimeExceededException as timed out. A filter,
/// also one in the query, and an order that is not by score are flags of the ranking.
///
/// A search with any other collector and a search by a Weight, with which a MultiSearcher searches
/// its parts, cannot be observed. They are counted (`Health::unobserved_searches`). To show their
/// hits, search `inside()` and call `observe`, or `Experiment::observe_failure`.
///
/// As thread-safe as IndexSearcher. `ObservedIndex::searcher` makes them.
class ObservedSearcher : public Lucene::IndexSearcher {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  /// Made by `Lucene::newLucene<ObservedSearcher>(searched, target)` only. The experiment must
  /// outlive the searcher.
  ObservedSearcher(const Lucene::IndexReaderPtr& searched, RankingTarget target);
  ~ObservedSearcher() override;
  LUCENE_CLASS(ObservedSearcher)

  // Observed. `search(query, n)` is the first of them without a filter.
  using Lucene::IndexSearcher::search;
  Lucene::TopDocsPtr search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                            int32_t n) override;
  Lucene::TopFieldDocsPtr search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                                 int32_t n, const Lucene::SortPtr& sort) override;
  void search(const Lucene::QueryPtr& query, const Lucene::CollectorPtr& results) override;
  void search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
              const Lucene::CollectorPtr& results) override;

  // Counted as unobserved. The one without `fillFields` calls the one with it.
  Lucene::TopDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                            int32_t n) override;
  Lucene::TopFieldDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                                 int32_t n, const Lucene::SortPtr& sort, bool fillFields) override;
  void search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
              const Lucene::CollectorPtr& results) override;

  // Passed on to `inside()`, too.
  void setSimilarity(const Lucene::SimilarityPtr& wanted) override;
  void setDefaultFieldSortScoring(bool doTrackScores, bool doMaxScore) override;

  /// Observes hits of this searcher's reader that the host collected itself. Never throws or
  /// allocates, at any depth.
  Outcome observe(const Lucene::TopDocs& served, const ServedPage& page) const noexcept {
    return target_.observe(served, page);
  }

  /// Returns the table that served docids are matched with, or null if resolving failed.
  [[nodiscard]] const std::shared_ptr<const ResolvedQrels>& resolved() const noexcept {
    return target_.resolved;
  }
  /// Returns the searcher that does the work, of which nothing is observed or counted.
  [[nodiscard]] const Lucene::IndexSearcherPtr& inside() const noexcept { return inside_; }

 private:
  Lucene::IndexSearcherPtr inside_;
  RankingTarget target_;
};

using ObservedSearcherPtr = boost::shared_ptr<ObservedSearcher>;

}  // namespace prescope::lucenepp
