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
/// Every search that answers TopDocs is observed once, under the QueryScope of the calling thread.
/// A search that throws is observed as failed, with TimeExceededException as timed out. A search
/// with the host's own collector is not observed: call `observe` with the hits that it collected,
/// or `Experiment::observe_failure`. As thread-safe as IndexSearcher. `ObservedIndex::searcher`
/// makes them.
class ObservedSearcher : public Lucene::IndexSearcher {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  /// Made by `Lucene::newLucene<ObservedSearcher>(searched, target)` only. The experiment must
  /// outlive the searcher.
  ObservedSearcher(const Lucene::IndexReaderPtr& searched, RankingTarget target);
  ~ObservedSearcher() override;
  LUCENE_CLASS(ObservedSearcher)

  using Lucene::IndexSearcher::search;
  Lucene::TopDocsPtr search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                            int32_t n) override;
  Lucene::TopFieldDocsPtr search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                                 int32_t n, const Lucene::SortPtr& sort) override;
  Lucene::TopDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                            int32_t n) override;
  Lucene::TopFieldDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                                 int32_t n, const Lucene::SortPtr& sort, bool fillFields) override;

  /// Observes hits of this searcher's reader that the host collected itself. Never throws or
  /// allocates, at any depth.
  void observe(const Lucene::TopDocs& served, const ServedPage& page) const noexcept {
    target_.observe(served, page);
  }

  /// Returns the table that served docids are matched with, or null if resolving failed.
  [[nodiscard]] const std::shared_ptr<const ResolvedQrels>& resolved() const noexcept {
    return target_.resolved;
  }

 private:
  RankingTarget target_;
};

using ObservedSearcherPtr = boost::shared_ptr<ObservedSearcher>;

}  // namespace prescope::lucenepp
