#pragma once

#include <cstdint>

#include "base/byte_source.h"
#include "runs/run_facts.h"
#include "runs/scan/byte_masks.h"

namespace prescope {

/// Tuning options of reading a run; they do not change the result.
struct ReadingDetails {
  FindByteMasks find_masks = find_byte_masks;
  unsigned threads = 1;
  /// Bytes that a thread takes at least.
  std::uint64_t smallest_part = std::uint64_t{1} << 20U;
  /// First reads the run as if the lines of each topic were together.
  bool expects_topics_together = true;
};

/// `read_run_facts` for a file that is open.
[[nodiscard]] RunFacts read_run(const Qrels& qrels, ByteSource& bytes, ScorePrecision precision,
                                const ReadingDetails& details = {});

}  // namespace prescope
