#pragma once

#include <cstddef>
#include <cstdint>

#include "runs/run_facts.h"
#include "runs/scan/line_scan.h"
#include "runs/scan/run_input.h"

namespace prescope {

/// How a run is read, on which the answer does not depend.
struct ReadingDetails {
  const LineScan& scan;
  unsigned threads = 1;
  /// Bytes that a thread takes at least.
  std::uint64_t smallest_part = std::uint64_t{1} << 20U;
  /// Whether it is tried first if the lines of each topic are together.
  bool expects_topics_together = true;
  /// Lines anywhere: how many docnos are in memory at a time, unless one topic has more.
  std::size_t docnos_at_once = std::size_t{1} << 17U;
};

/// `read_run_facts` for an input that is open.
[[nodiscard]] RunFacts read_run(const Qrels& qrels, const RunInput& input, ScorePrecision precision,
                                const ReadingDetails& details);

}  // namespace prescope
