#pragma once

#include <span>

#include "runs/scan/run_input.h"
#include "runs/scan/run_part.h"
#include "runs/scan/scattered_topic.h"

namespace prescope {

/// Reads the docnos of these lines, going through the input once. Throws Error(kIo), also where the
/// docno of a line is not what it was when the line was kept.
void read_docnos_again(const LineReading& reading, const RunInput& input,
                       std::span<WantedLine* const> lines);

}  // namespace prescope
