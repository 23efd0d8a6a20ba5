#pragma once

#include <cstdint>

#include "core/run_facts.h"
#include "core/run_scan/line_scan.h"
#include "core/run_scan/run_input.h"

namespace prescope {

/// How a run is read, on which the answer does not depend.
struct ReadingDetails {
  const LineScan& scan;
  unsigned threads = 1;
  /// Bytes that a thread is worth starting for.
  std::uint64_t smallest_part = std::uint64_t{1} << 21U;
};

/// `read_run_facts` for an input that is open.
[[nodiscard]] RunFacts read_run(const Qrels& qrels, const RunInput& input, ScorePrecision precision,
                                const ReadingDetails& details);

}  // namespace prescope
