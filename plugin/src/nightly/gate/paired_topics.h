#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "nightly/evaluation_record.h"

namespace prescope {

/// One topic at the baseline and tonight.
struct PairedTopic {
  const EvaluationRecord::Topic* baseline = nullptr;
  const EvaluationRecord::Topic* tonight = nullptr;
};

/// Ascending by id, whatever order the records have them in: the topics of both. The records must
/// outlive the answer.
[[nodiscard]] std::vector<PairedTopic> paired_topics(const EvaluationRecord& baseline,
                                                     const EvaluationRecord& tonight);

/// Relevant documents found up to the cutoff.
[[nodiscard]] std::size_t count_found(const EvaluationRecord::Topic& topic, Cutoff cutoff) noexcept;

}  // namespace prescope
