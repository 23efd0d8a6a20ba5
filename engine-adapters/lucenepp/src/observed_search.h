#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "collected_ranking.h"
#include "prescope/lucenepp/ranking_target.h"

#include <lucene++/Lucene.h>

namespace prescope::lucenepp {

/// One search of a host by a query, through an observed searcher. Lives on the stack of the search:
/// it borrows what it is made of.
class ObservedSearch {
 public:
  /// The filter may be null.
  ObservedSearch(const RankingTarget& target, const Lucene::QueryPtr& query,
                 const Lucene::FilterPtr& filter) noexcept
      : target_(target), query_(query), filter_(filter) {}

  /// Runs `search` for `n` hits and observes its answer, or its exception, which passes through.
  template <class Search>
  auto top_docs(std::int32_t n, Search&& search) const {
    auto served = run(std::forward<Search>(search));
    if (served) show(*served, n, nullptr);
    return served;
  }
  /// The same for a search in the order of `sort`.
  template <class Search>
  auto top_docs(std::int32_t n, const Lucene::SortPtr& sort, Search&& search) const {
    auto served = run(std::forward<Search>(search));
    if (served) show(*served, n, sort.get());
    return served;
  }
  /// Runs `search`, which fills `collector`, and observes the ranking in it, or the exception. A
  /// collector without a ranking that can be read makes the search an unobserved one.
  template <class Search>
  void collect(const Lucene::CollectorPtr& collector, Search&& search) const {
    if (const auto ranking = CollectedRanking::in(collector)) {
      run(std::forward<Search>(search));
      show(*ranking);
    } else {
      target_.experiment->count_unobserved_search();
      std::forward<Search>(search)();
    }
  }

 private:
  template <class Search>
  auto run(Search&& search) const {
    try {
      return std::forward<Search>(search)();
    } catch (...) {
      target_.observe_failure();
      throw;
    }
  }
  /// `sort` is null for an order by score.
  void show(const Lucene::TopDocs& served, std::int32_t n, Lucene::Sort* sort) const noexcept;
  void show(const CollectedRanking& collected) const noexcept;

  const RankingTarget& target_;
  const Lucene::QueryPtr& query_;
  const Lucene::FilterPtr& filter_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace prescope::lucenepp
