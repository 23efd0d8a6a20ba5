#pragma once

#include <cstdint>
#include <memory>

#include "runs/scan/lines_by_topic.h"
#include "runs/scan/run_input.h"
#include "runs/scan/run_part.h"
#include "runs/scan/topic_directory.h"

namespace prescope {

/// Consecutive lines of a run whose topics' lines are anywhere: 16 bytes of each are kept.
struct ScatteredPart {
  /// `qrels` must outlive this.
  explicit ScatteredPart(const Qrels& qrels) : topics(qrels) {}

  TopicDirectory topics;
  LinesByTopic lines;  ///< those of judged topics, numbered as in `topics`
  RunPart part;  ///< without what is known only when all lines are: topics, what they retrieve
};

/// The lines in the bytes [begin, end) of the input, each whole.
[[nodiscard]] std::unique_ptr<ScatteredPart> read_scattered(const LineReading& reading,
                                                            const RunInput& input,
                                                            std::uint64_t begin, std::uint64_t end);

}  // namespace prescope
