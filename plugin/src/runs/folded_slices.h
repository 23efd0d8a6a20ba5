#pragma once

#include <functional>

#include "prescope/slices.h"

namespace prescope {

/// A slice as it is shown, or several small slices of its dimension together.
struct FoldedSlice {
  std::string name{};                ///< also kSmallSlices or kUnsliced
  std::uint32_t slices = 1;          ///< above 1 for small slices taken together
  std::uint32_t units = 0;           ///< topics, or families, that count
  std::vector<TopicIndex> topics{};  ///< ascending
};

/// Returns how many topics, or families, of a slice count.
using UnitsOfTopics = std::function<std::uint32_t(std::span<const TopicIndex>)>;

/// Returns the slices of a dimension with units that count: those of kUnitsShown or more, then the
/// smaller ones together, then the topics that are in no slice. A small slice that is the only one
/// keeps its name.
[[nodiscard]] std::vector<FoldedSlice> folded_slices(const TopicSlices::Dimension& dimension,
                                                     const UnitsOfTopics& units_of);

}  // namespace prescope
