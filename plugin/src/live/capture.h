#pragma once

#include <cstdint>
#include <vector>

#include "prescope/types.h"

namespace prescope {

/// The first hits of a ranking, from rank 1 without gaps, so that documents which are judged later
/// can be found in it.
struct Capture {
  std::uint64_t generation = 0;  ///< of `docids`
  std::vector<DocId> docids;     ///< at most one of the two is not empty
  std::vector<std::uint64_t> keys;
  /// Judgements whose rank is not known, because the documents were judged after the query.
  std::vector<JudgementIndex> unlocated;

  void clear() noexcept {
    docids.clear();
    keys.clear();
    unlocated.clear();
  }
  [[nodiscard]] std::uint32_t depth() const noexcept {
    return static_cast<std::uint32_t>(docids.size() + keys.size());
  }
};

}  // namespace prescope
