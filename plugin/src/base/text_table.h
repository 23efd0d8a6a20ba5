#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/unicode.h"
#include "prescope/types.h"

namespace prescope {

/// Normalised texts with their topics, found by the hash of what is normalised on the way and
/// verified by comparison.
class TextTable {
 public:
  /// The last step of hashing. Tests give one under which texts collide.
  using Finish = std::uint64_t (*)(std::uint64_t) noexcept;
  explicit TextTable(Finish finish = well_mixed) noexcept : finish_(finish) {}

  struct Added {
    TextFault fault = TextFault::kNone;
    bool empty = false;                   ///< nothing is left of the text
    TopicIndex same_as = kUnjudgedTopic;  ///< the topic that has this normalised text already
  };
  /// Not added where any of `Added` says why.
  Added add(TopicIndex topic, std::string_view text);

  /// The topic of this text, or kUnjudgedTopic. No allocation; stops where the text is longer than
  /// any in the table.
  [[nodiscard]] TopicIndex find(std::string_view text) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  [[nodiscard]] static std::uint64_t well_mixed(std::uint64_t hash) noexcept;

 private:
  struct Entry {
    std::uint64_t hash = 0;
    TopicIndex topic{};
    std::string normalized{};
  };
  static constexpr std::uint32_t kFree = UINT32_MAX;
  /// A slot, with its hash beside it so that most comparisons end here.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t entry = kFree;
  };

  void place(std::uint32_t entry) noexcept;
  void grow();

  Finish finish_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // open addressing into entries_, a power of two, at most half full
  std::size_t longest_ = 0;
};

}  // namespace prescope
