#include "live/ledger/followed_slices.h"

#include <algorithm>
#include <unordered_set>

#include "runs/folded_slices.h"

namespace prescope {

namespace {

/// Returns how many of the topics, or of their families, have relevant documents.
std::uint32_t judged_units(std::span<const TopicIndex> topics, const Qrels& qrels) {
  std::unordered_set<std::uint32_t> families;
  for (const TopicIndex topic : topics) {
    if (qrels.topic(topic).num_rel() > 0) families.insert(qrels.family(topic).value());
  }
  return static_cast<std::uint32_t>(families.size());
}

std::vector<FollowedSlice> followed(const TopicSlices& slices, const Qrels& qrels) {
  const auto units_of = [&](std::span<const TopicIndex> topics) {
    return judged_units(topics, qrels);
  };
  std::vector<FollowedSlice> all;
  for (const TopicSlices::Dimension& dimension : slices.dimensions) {
    for (FoldedSlice& slice : folded_slices(dimension, units_of)) {
      all.push_back({.dimension = dimension.name,
                     .name = std::move(slice.name),
                     .slices = slice.slices,
                     .judged = slice.units,
                     .may_speak = slice.slices == 1 && slice.units >= kUnitsThatSpeak,
                     .topics = std::move(slice.topics)});
    }
  }
  return all;
}

}  // namespace

FollowedSlices::FollowedSlices(const TopicSlices& slices, const Qrels& qrels)
    : FollowedSlices(followed(slices, qrels), {slices.unjudged, slices.unjudged_example}) {}

FollowedSlices::FollowedSlices(std::vector<FollowedSlice> slices, Unjudged unjudged)
    : slices_(std::move(slices)),
      unjudged_(std::move(unjudged)),
      speaking_(
          static_cast<std::size_t>(std::ranges::count(slices_, true, &FollowedSlice::may_speak))) {
  std::size_t topics = 0;
  for (const FollowedSlice& slice : slices_) {
    for (const TopicIndex topic : slice.topics) {
      topics = std::max<std::size_t>(topics, topic.value() + 1);
    }
  }
  begins_.assign(topics + 1, 0);
  for (const FollowedSlice& slice : slices_) {
    for (const TopicIndex topic : slice.topics) ++begins_[topic.value() + 1];
  }
  for (std::size_t t = 0; t < topics; ++t) begins_[t + 1] += begins_[t];
  members_.resize(begins_.back());
  std::vector<std::uint32_t> next = begins_;
  for (std::uint32_t s = 0; s < slices_.size(); ++s) {
    for (const TopicIndex topic : slices_[s].topics) members_[next[topic.value()]++] = s;
  }
}

std::span<const std::uint32_t> FollowedSlices::of(TopicIndex topic) const noexcept {
  if (std::size_t{topic.value()} + 1 >= begins_.size()) return {};
  const std::uint32_t begin = begins_[topic.value()];
  return std::span(members_).subspan(begin, begins_[topic.value() + 1] - begin);
}

}  // namespace prescope
