#pragma once

#include <cstdint>
#include <vector>

#include "runs/scan/run_input.h"

namespace prescope {

/// Begins and ends of parts of a run or of qrels for threads which each take the next part when
/// they have done one: ascending, the input's own ends among them. Parts are large at first, so
/// that they are few, and then ever smaller, down to about `smallest_part` bytes, so that threads
/// end together although the system holds one of them up. A topic whose lines are together is in
/// one part as a whole. The input must have random access.
[[nodiscard]] std::vector<std::uint64_t> topic_borders(const RunInput& input, unsigned threads,
                                                       std::uint64_t smallest_part);

/// Likewise of up to `parts` parts of one size, each from the beginning of a line. Of one part, the
/// input needs no random access.
[[nodiscard]] std::vector<std::uint64_t> line_borders(const RunInput& input, unsigned parts);

}  // namespace prescope
