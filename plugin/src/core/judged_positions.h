#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "prescope/resolved_qrels.h"
#include "prescope/types.h"

namespace prescope {

/// Where the judged documents of a topic stand among `docids`: positions from 0, ascending, also of
/// repeated docids. Gives how many; `positions` has room for as many as there are docids. No
/// allocation, thread-safe.
std::size_t judged_positions(const ResolvedQrels::Topic& topic, std::span<const DocId> docids,
                             std::uint32_t* positions) noexcept;

/// The same in plain C++, for machines without AVX2 and topics with many judged documents.
std::size_t judged_positions_by_prefilter(const ResolvedQrels::Topic& topic,
                                          std::span<const DocId> docids,
                                          std::uint32_t* positions) noexcept;

}  // namespace prescope
