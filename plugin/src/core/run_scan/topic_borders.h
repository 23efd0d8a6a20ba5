#pragma once

#include <cstdint>
#include <vector>

#include "core/run_scan/run_input.h"

namespace prescope {

/// Begins and ends of up to `parts` parts of a run or of qrels, ascending, the input's own ends
/// among them. A topic whose lines are together is in one part as a whole. The input must have
/// random access.
[[nodiscard]] std::vector<std::uint64_t> topic_borders(const RunInput& input, unsigned parts);

}  // namespace prescope
