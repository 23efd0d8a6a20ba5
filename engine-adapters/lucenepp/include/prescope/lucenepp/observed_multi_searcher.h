#pragma once

#include <cstdint>
#include <memory>

#include "prescope/lucenepp/ranking_target.h"

// After ours: Lucene++ defines macros and unprefixed include guards.
#include <lucene++/Lucene.h>

#include <lucene++/Searcher.h>
#include <lucene++/TopFieldDocs.h>

namespace prescope::lucenepp {

/// A searcher over several indexes, such as a MultiSearcher or a ParallelMultiSearcher. It shows
/// each ranking that it merges to an experiment. It observes after the merge, because users are not
/// served the rankings of the parts, which may be made on the threads of a pool without a
/// QueryScope.
///
/// Every call goes to the searcher inside, so hits, scores and exceptions are its own, and a
/// query's document frequencies still count all indexes together. The searches that an
/// ObservedSearcher observes are observed, once, under the QueryScope of the calling thread; others
/// are counted (`Health::unobserved_searches`). The parts must not be observed themselves: their
/// searches would be counted as well. As thread-safe as the searcher inside.
/// `ObservedShards::searcher` makes them.
///
/// A ParallelMultiSearcher of Lucene++ 3.0.8 ends the process if a part throws on its pool.
class ObservedMultiSearcher : public Lucene::Searcher {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  /// Made by `Lucene::newLucene<ObservedMultiSearcher>(inside, target)` only. The target's table
  /// must have the docids that `inside` serves. The experiment must outlive the searcher.
  ObservedMultiSearcher(Lucene::SearcherPtr inside, RankingTarget target);
  ~ObservedMultiSearcher() override;
  LUCENE_CLASS(ObservedMultiSearcher)

  /// Observes hits of this searcher's docids that the host collected itself. Never throws or
  /// allocates, at any depth.
  Outcome observe(const Lucene::TopDocs& served, const ServedPage& page) const noexcept {
    return target_.observe(served, page);
  }
  /// Returns the table that served docids are matched with, or null if resolving failed.
  [[nodiscard]] const std::shared_ptr<const ResolvedQrels>& resolved() const noexcept {
    return target_.resolved;
  }
  /// Returns the host's searcher, of which nothing is observed or counted; also for calls that only
  /// its own class has.
  [[nodiscard]] const Lucene::SearcherPtr& inside() const noexcept { return inside_; }

  // Observed.
  Lucene::TopDocsPtr search(const Lucene::QueryPtr& query, int32_t n) override;
  Lucene::TopDocsPtr search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                            int32_t n) override;
  Lucene::TopFieldDocsPtr search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
                                 int32_t n, const Lucene::SortPtr& sort) override;
  void search(const Lucene::QueryPtr& query, const Lucene::CollectorPtr& results) override;
  void search(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter,
              const Lucene::CollectorPtr& results) override;

  // Counted as unobserved, because a MultiSearcher searches its parts by a weight.
  Lucene::TopDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                            int32_t n) override;
  Lucene::TopFieldDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                                 int32_t n, const Lucene::SortPtr& sort) override;
  void search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
              const Lucene::CollectorPtr& results) override;

  // Not searches.
  Lucene::ExplanationPtr explain(const Lucene::QueryPtr& query, int32_t doc) override;
  Lucene::ExplanationPtr explain(const Lucene::WeightPtr& weight, int32_t doc) override;
  Lucene::QueryPtr rewrite(const Lucene::QueryPtr& query) override;
  Lucene::DocumentPtr doc(int32_t n) override;
  Lucene::DocumentPtr doc(int32_t n, const Lucene::FieldSelectorPtr& fieldSelector) override;
  int32_t docFreq(const Lucene::TermPtr& term) override;
  Lucene::Collection<int32_t> docFreqs(Lucene::Collection<Lucene::TermPtr> terms) override;
  int32_t maxDoc() override;
  void setSimilarity(const Lucene::SimilarityPtr& wanted) override;
  Lucene::SimilarityPtr getSimilarity() override;
  void close() override;

 private:
  Lucene::SearcherPtr inside_;
  RankingTarget target_;
};

using ObservedMultiSearcherPtr = boost::shared_ptr<ObservedMultiSearcher>;

}  // namespace prescope::lucenepp
