#pragma once

#include <span>
#include <string_view>

#include "prescope/slices.h"

namespace prescope {

/// The facts about a judged topic that slices need. Borrows the id.
struct JudgedTopic {
  std::string_view id{};
  std::uint32_t num_rel = 0;
};

/// Reads slices as `read_slices` for Qrels does, of topics without their judgements, such as those
/// of a stored night. A TopicIndex is a place in `topics`, which may be in any order.
[[nodiscard]] TopicSlices read_slices(const SliceSource& source,
                                      std::span<const JudgedTopic> topics);

}  // namespace prescope
