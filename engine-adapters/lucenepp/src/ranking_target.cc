#include "prescope/lucenepp/ranking_target.h"

#include <span>

#include "prescope/ranking_observer.h"

#include <lucene++/LuceneException.h>
#include <lucene++/ScoreDoc.h>

namespace prescope::lucenepp {
namespace {

// A docid that Lucene++ never gives a document.
constexpr DocId kNoDocument{UINT32_MAX};

}  // namespace

Outcome RankingTarget::observe(const Lucene::TopDocs& served,
                               const ServedPage& page) const noexcept {
  try {
    RankingObserver observer(*experiment,
                             {.arm = arm,
                              .resolved = resolved.get(),
                              .first_rank = page.first_rank,
                              .requested_depth = page.requested_depth,
                              .total_hits = static_cast<std::uint64_t>(served.totalHits),
                              .search_started = page.search_started,
                              .search_ended = page.search_ended,
                              .flags = page.flags});
    if (!served.scoreDocs) return observer.end();
    observer.add_each(served.scoreDocs, [](const Lucene::ScoreDocPtr& hit) {
      return hit ? DocId{static_cast<std::uint32_t>(hit->doc)} : kNoDocument;
    });
    return observer.end();
  } catch (...) {
    experiment->count_adapter_failure();
    return Outcome::kAbandoned;
  }
}

void RankingTarget::observe_failure() const noexcept {
  auto failure = Experiment::SearchFailure::kFailed;
  try {
    throw;
  } catch (const Lucene::TimeExceededException&) {
    failure = Experiment::SearchFailure::kTimedOut;
  } catch (...) {
  }
  experiment->observe_failure(arm, failure);
}

}  // namespace prescope::lucenepp
