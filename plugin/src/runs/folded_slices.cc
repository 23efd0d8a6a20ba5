#include "runs/folded_slices.h"

#include <algorithm>

namespace prescope {

std::vector<FoldedSlice> folded_slices(const TopicSlices::Dimension& dimension,
                                       const UnitsOfTopics& units_of) {
  std::vector<FoldedSlice> folded;
  FoldedSlice small{.slices = 0};
  const auto add = [&](std::string_view name, const std::vector<TopicIndex>& topics) {
    const std::uint32_t units = units_of(topics);
    if (units > 0) folded.push_back({.name = std::string(name), .units = units, .topics = topics});
  };
  for (const TopicSlices::Slice& slice : dimension.slices) {
    add(slice.name, slice.topics);
    if (folded.empty() || folded.back().units >= kUnitsShown) continue;
    const FoldedSlice one = std::move(folded.back());
    folded.pop_back();
    small.name = ++small.slices == 1 ? one.name : std::string(kSmallSlices);
    small.topics.insert(small.topics.end(), one.topics.begin(), one.topics.end());
  }
  std::ranges::sort(small.topics);
  const auto [first, last] = std::ranges::unique(small.topics);
  small.topics.erase(first, last);
  if (small.slices > 0) {
    small.units = units_of(small.topics);
    folded.push_back(std::move(small));
  }
  add(kUnsliced, dimension.unsliced);
  return folded;
}

}  // namespace prescope
