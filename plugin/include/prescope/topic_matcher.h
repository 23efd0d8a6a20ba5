#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "prescope/qrels.h"
#include "prescope/types.h"

namespace prescope {

/// Finds the topic of a live query by its text, for hosts that do not know topics: an exact match
/// of the normalised text (Unicode case folding of UTF-8, white space runs as one space, none at
/// the ends) against the normalised texts of the topics, by a 64-bit hash that is verified by
/// comparison. Nothing is guessed. Immutable; any thread.
class TopicMatcher {
 public:
  struct Text {
    TopicId topic{};
    std::string text{};  ///< UTF-8
  };
  /// Topics that the qrels do not judge are left out. Throws Error(kBadInput), naming all of them,
  /// where two topics have the same normalised text, or a text has none or is not UTF-8.
  TopicMatcher(const Qrels& qrels, std::span<const Text> texts);
  /// Reads a topics file (`id <TAB> text`, or JSON lines), plain or gzip. Throws Error(kIo,
  /// kBadInput) with its place.
  [[nodiscard]] static TopicMatcher load(const Qrels& qrels, const std::filesystem::path& topics);
  ~TopicMatcher();
  TopicMatcher(TopicMatcher&&) noexcept;
  TopicMatcher& operator=(TopicMatcher&&) noexcept;

  /// The topic with this text, or kUnjudgedTopic; also for text that is not UTF-8. No allocation,
  /// no lock; O(length), twice for a match.
  [[nodiscard]] TopicIndex find(std::string_view text) const noexcept;
  /// Texts that can be matched.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  class Texts;
  std::unique_ptr<const Texts> texts_;
};

}  // namespace prescope
