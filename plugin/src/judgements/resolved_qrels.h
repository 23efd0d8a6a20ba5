#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "prescope/resolved_qrels.h"
#include "prescope/types.h"

namespace prescope {

struct JudgedPosition {
  std::uint32_t position;  ///< of a docid among those looked at, from 0
  std::uint32_t entry;     ///< of the same docid among those of the topic
};

/// Where the judged documents of a topic stand among `docids`: ascending, also of repeated docids.
/// Gives how many; `found` has room for as many as there are docids. No allocation, thread-safe.
using JudgedPositions = std::size_t (*)(const ResolvedQrels::Topic& topic,
                                        std::span<const DocId> docids,
                                        JudgedPosition* found) noexcept;

/// The quickest on this processor. To be asked once: after a search, finding out takes longer than
/// matching does.
[[nodiscard]] JudgedPositions quickest_judged_positions() noexcept;

/// In plain C++, for processors without AVX2 and topics with many judged documents.
std::size_t judged_positions_by_prefilter(const ResolvedQrels::Topic& topic,
                                          std::span<const DocId> docids,
                                          JudgedPosition* found) noexcept;

}  // namespace prescope
