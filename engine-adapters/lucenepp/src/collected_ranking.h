#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "prescope/ranking.h"

#include <lucene++/Lucene.h>

#include <lucene++/TopDocsCollector.h>

namespace prescope::lucenepp {

/// The ranking in a host's collector, read without taking it out: Lucene++ itself can only empty
/// its queue, and the host still calls `topDocs`. For one thread, as the collector is.
class CollectedRanking {
 public:
  /// To be called before the search. Returns nothing unless `create` of TopScoreDocCollector or of
  /// TopFieldCollector made the collector, because a class of the host may leave hits out; and
  /// nothing if the collector has hits of another search.
  [[nodiscard]] static std::optional<CollectedRanking> in(
      const Lucene::CollectorPtr& collector) noexcept;

  /// Returns kSorted unless the best score comes first.
  [[nodiscard]] RankingFlags order() const;
  [[nodiscard]] std::uint32_t requested_depth() const;
  [[nodiscard]] std::uint64_t total_hits() const;
  /// Returns the hits in the order in which `topDocs` has them. Valid until the next call in this
  /// thread, whose buffers it uses. O(n log n) for n hits; about 60 us for 1000.
  [[nodiscard]] std::span<const DocId> docids() const;

 private:
  explicit CollectedRanking(Lucene::TopDocsCollector& collector) : collector_(&collector) {}

  Lucene::TopDocsCollector* collector_;  // the host's
};

}  // namespace prescope::lucenepp
