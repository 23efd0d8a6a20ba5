#include "observed_search.h"

#include "prescope/ranking_observer.h"
#include "ranking_flags.h"

#include <lucene++/LuceneHeaders.h>

namespace prescope::lucenepp {

using Clock = std::chrono::steady_clock;

void ObservedSearch::show(const Lucene::TopDocs& served, std::int32_t n,
                          Lucene::Sort* sort) const noexcept {
  const auto ended = Clock::now();
  try {
    const RankingFlags order = sort == nullptr ? RankingFlags::kNone : order_of(sort->getSort());
    // Lucene++ cuts n to maxDoc; the host's own n tells a ranking that ended from one that was cut.
    target_.observe(served, {.requested_depth = static_cast<std::uint32_t>(n),
                             .search_started = started_,
                             .search_ended = ended,
                             .flags = order | filtering_of(query_, filter_)});
  } catch (...) {
    target_.experiment->count_adapter_failure();
  }
}

void ObservedSearch::show(const CollectedRanking& collected) const noexcept {
  const auto ended = Clock::now();
  try {
    RankingObserver observer(*target_.experiment,
                             {.arm = target_.arm,
                              .resolved = target_.resolved.get(),
                              .requested_depth = collected.requested_depth(),
                              .total_hits = collected.total_hits(),
                              .search_started = started_,
                              .search_ended = ended,
                              .flags = collected.order() | filtering_of(query_, filter_)});
    if (!observer.wants_hits()) return;  // putting them in order would take time
    try {
      observer.add(collected.docids());
    } catch (...) {
      observer.abandon();
    }
  } catch (...) {
    target_.experiment->count_adapter_failure();
  }
}

}  // namespace prescope::lucenepp
