#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "docno_terms.h"
#include "prescope/resolved_qrels.h"

namespace prescope::lucenepp {

/// Finds the judged documents of one experiment in readers. A segment's documents are cached as
/// long as the latest readers have the segment, and no further document is judged. Not thread-safe.
class JudgedResolver {
 public:
  explicit JudgedResolver(std::wstring docno_field);

  /// The documents of each reader follow those of the one before. Throws Error(kEngine) if the
  /// docno field is missing; exceptions of Lucene++ pass through. A failed call changes nothing.
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolve(
      std::span<const Lucene::IndexReaderPtr> readers, const JudgedDocnos& judged,
      std::uint64_t generation);

 private:
  struct Segment;
  using SegmentPtr = std::shared_ptr<const Segment>;

  [[nodiscard]] SegmentPtr scan(const Lucene::IndexReaderPtr& leaf,
                                const JudgedDocnos& judged) const;
  [[nodiscard]] SegmentPtr remembered(const Lucene::IndexReaderPtr& leaf,
                                      const JudgedDocnos& judged) const;

  std::wstring field_;
  std::uint32_t num_keys_ = 0;  // that segments_ are about
  std::vector<SegmentPtr> segments_;
};

}  // namespace prescope::lucenepp
