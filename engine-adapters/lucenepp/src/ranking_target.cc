#include "prescope/lucenepp/ranking_target.h"

#include <algorithm>
#include <array>
#include <span>

#include <lucene++/LuceneException.h>
#include <lucene++/ScoreDoc.h>

namespace prescope::lucenepp {
namespace {

// A docid that Lucene++ never gives a document.
constexpr DocId kNoDocument{UINT32_MAX};

/// Copies docids in served order through a small buffer, so that no depth needs an allocation.
class ServedDocids {
 public:
  explicit ServedDocids(const Lucene::TopDocs& served) noexcept
      : hits_(served.scoreDocs), size_(hits_ ? static_cast<std::size_t>(hits_.size()) : 0) {}

  [[nodiscard]] bool at_end() const noexcept { return position_ == size_; }
  [[nodiscard]] std::span<const DocId> next_chunk() noexcept {
    const std::size_t count = std::min(chunk_.size(), size_ - position_);
    const auto first = hits_ ? hits_.begin() + static_cast<std::ptrdiff_t>(position_)
                             : Lucene::Collection<Lucene::ScoreDocPtr>::const_iterator{};
    for (std::size_t i = 0; i < count; ++i) {
      const Lucene::ScoreDocPtr& hit = first[static_cast<std::ptrdiff_t>(i)];
      chunk_[i] = hit ? DocId{static_cast<std::uint32_t>(hit->doc)} : kNoDocument;
    }
    position_ += count;
    return {chunk_.data(), count};
  }

 private:
  const Lucene::Collection<Lucene::ScoreDocPtr>& hits_;
  std::size_t size_;
  std::size_t position_ = 0;
  std::array<DocId, 256> chunk_;
};

}  // namespace

void RankingTarget::observe(const Lucene::TopDocs& served, const ServedPage& page) const noexcept {
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
    if (!observer.wants_hits()) return;  // looking for them would take time
    ServedDocids docids(served);
    while (observer.wants_hits() && !docids.at_end()) observer.add(docids.next_chunk());
  } catch (...) {
    experiment->count_adapter_failure();
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
