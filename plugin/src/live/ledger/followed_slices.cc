#include "live/ledger/followed_slices.h"

#include <algorithm>
#include <unordered_set>

namespace prescope {

namespace {

/// Follows the slices of one dimension.
class DimensionFollower {
 public:
  DimensionFollower(const TopicSlices::Dimension& dimension, const Qrels& qrels)
      : dimension_(dimension), qrels_(qrels) {}

  void append_to(std::vector<FollowedSlice>& slices) const {
    std::vector<FollowedSlice> small;
    for (const TopicSlices::Slice& slice : dimension_.slices) {
      FollowedSlice one = followed(slice.name, slice.topics);
      if (one.judged > 0) (one.judged < kUnitsShown ? small : slices).push_back(std::move(one));
    }
    if (small.size() == 1) slices.push_back(std::move(small.front()));
    if (small.size() > 1) slices.push_back(together(small));
    FollowedSlice none = followed(kUnsliced, dimension_.unsliced);
    if (none.judged > 0) slices.push_back(std::move(none));
  }

 private:
  [[nodiscard]] FollowedSlice followed(std::string_view name,
                                       std::vector<TopicIndex> topics) const {
    std::unordered_set<std::uint32_t> families;
    for (const TopicIndex topic : topics) {
      if (qrels_.topic(topic).num_rel() > 0) families.insert(qrels_.family(topic).value());
    }
    const auto judged = static_cast<std::uint32_t>(families.size());
    return {.dimension = dimension_.name,
            .name = std::string(name),
            .judged = judged,
            .may_speak = judged >= kUnitsThatSpeak,
            .topics = std::move(topics)};
  }

  [[nodiscard]] FollowedSlice together(std::span<const FollowedSlice> small) const {
    std::vector<TopicIndex> topics;
    for (const FollowedSlice& slice : small) {
      topics.insert(topics.end(), slice.topics.begin(), slice.topics.end());
    }
    std::ranges::sort(topics);
    const auto [first, last] = std::ranges::unique(topics);
    topics.erase(first, last);
    FollowedSlice all = followed(kSmallSlices, std::move(topics));
    all.slices = static_cast<std::uint32_t>(small.size());
    all.may_speak = false;
    return all;
  }

  const TopicSlices::Dimension& dimension_;
  const Qrels& qrels_;
};

std::vector<FollowedSlice> followed(const TopicSlices& slices, const Qrels& qrels) {
  std::vector<FollowedSlice> all;
  for (const TopicSlices::Dimension& dimension : slices.dimensions) {
    DimensionFollower(dimension, qrels).append_to(all);
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
