#pragma once

#include "prescope/slices.h"

namespace prescope {

/// A slice as a live experiment follows it.
struct FollowedSlice {
  std::string dimension{}, name{};
  std::uint32_t slices = 1;  ///< above 1 for small slices taken together
  /// Topics, or families, that had relevant documents when the experiment began.
  std::uint32_t judged = 0;
  /// Enough of the slice is judged, so it has a share of the alpha of slices.
  bool may_speak = false;
  std::vector<TopicIndex> topics{};  ///< ascending
};

/// The slices of a live experiment, fixed when it begins, so that the number of statements is known
/// before the data. Slices of fewer than kUnitsShown are taken together for each dimension.
/// Immutable; any thread.
class FollowedSlices {
 public:
  /// Topics that slices name and that are not judged.
  struct Unjudged {
    std::uint64_t topics = 0;
    std::string example{};
  };

  FollowedSlices() = default;
  /// Topics of the slices must be of the qrels.
  FollowedSlices(const TopicSlices& slices, const Qrels& qrels);
  /// Slices that were followed before, read from a store.
  FollowedSlices(std::vector<FollowedSlice> slices, Unjudged unjudged);

  [[nodiscard]] std::span<const FollowedSlice> all() const noexcept { return slices_; }
  [[nodiscard]] const Unjudged& unjudged() const noexcept { return unjudged_; }
  /// Returns how many slices may speak.
  [[nodiscard]] std::size_t speaking() const noexcept { return speaking_; }
  /// Returns the positions in `all` of the slices that the topic is in. O(1).
  [[nodiscard]] std::span<const std::uint32_t> of(TopicIndex topic) const noexcept;

 private:
  std::vector<FollowedSlice> slices_;
  Unjudged unjudged_;
  std::size_t speaking_ = 0;
  // The slices of topic t are in `members_` from `begins_[t]` to `begins_[t + 1]`.
  std::vector<std::uint32_t> begins_, members_;
};

}  // namespace prescope
