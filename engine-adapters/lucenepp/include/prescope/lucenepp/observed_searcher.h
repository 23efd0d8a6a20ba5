#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "prescope/experiment.h"

// After ours: Lucene++ defines macros and unprefixed include guards.
#include <lucene++/Lucene.h>

#include <lucene++/IndexSearcher.h>
#include <lucene++/TopDocs.h>
#include <lucene++/TopFieldDocs.h>

namespace prescope::lucenepp {

/// What a host that runs its own collector knows about a ranking that it serves.
struct ServedPage {
  /// Hits asked for from `first_rank` on; fewer served hits mean that the ranking ended.
  std::uint32_t requested_depth = 0;
  Rank first_rank = 1;
  /// When the search began; now, where it is not said.
  std::chrono::steady_clock::time_point search_started = std::chrono::steady_clock::now();
  RankingFlags flags = RankingFlags::kNone;
};

/// An IndexSearcher that shows each ranking it serves to an experiment. Hits, scores and exceptions
/// are those of IndexSearcher, unchanged; a failure of the plugin never reaches the caller.
///
/// Every search that answers TopDocs is observed, once, under the QueryScope of the calling thread.
/// A search with the host's own collector is not: call `observe` with what it collected. As
/// thread-safe as IndexSearcher. `ObservedIndex::searcher` makes them.
class ObservedSearcher : public Lucene::IndexSearcher {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  /// Where rankings go. `resolved` is the reader's own table; null serves unobserved.
  struct Target {
    Experiment* experiment = nullptr;
    ArmIndex arm;
    std::shared_ptr<const ResolvedQrels> resolved;
  };

  /// Made by `Lucene::newLucene<ObservedSearcher>(searched, target)` only. The experiment must
  /// outlive the searcher.
  ObservedSearcher(const Lucene::IndexReaderPtr& searched, const Target& target);
  ~ObservedSearcher() override;
  LUCENE_CLASS(ObservedSearcher)

  using Lucene::IndexSearcher::search;
  Lucene::TopDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                            int32_t n) override;
  Lucene::TopFieldDocsPtr search(const Lucene::WeightPtr& weight, const Lucene::FilterPtr& filter,
                                 int32_t n, const Lucene::SortPtr& sort, bool fillFields) override;

  /// Observes hits of this searcher's reader that the host collected itself. Never throws or
  /// allocates, at any depth.
  void observe(const Lucene::TopDocs& served, const ServedPage& page) const noexcept;

  /// The table that served docids are matched with; null where resolving failed.
  [[nodiscard]] const std::shared_ptr<const ResolvedQrels>& resolved() const noexcept {
    return target_.resolved;
  }

 private:
  Target target_;
};

using ObservedSearcherPtr = boost::shared_ptr<ObservedSearcher>;

}  // namespace prescope::lucenepp
