#pragma once

#include <map>
#include <utility>
#include <vector>

#include "prescope/key_slots.h"
#include "prescope/qrels.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

/// Finds the topic of a live query by its text, for hosts that do not know topics. Normalised texts
/// must match exactly; nothing is guessed. Immutable; any thread.
///
/// Texts are the same if they differ only in case (Unicode's full folding: "ß" as "ss"; not
/// Turkish), composed or decomposed accents, compatibility forms (full width, ligatures, sub- and
/// superscripts), characters without a width (soft hyphens), and amount of white space. Accents,
/// punctuation and word order count. See docs/decisions/0018-how-query-texts-are-matched.md.
class TopicMatcher {
 public:
  struct Text {
    TopicId topic{};
    std::string text{};  ///< UTF-8
  };
  /// Topics that the qrels do not judge are left out; a topic may have several texts. Topics that
  /// have the same normalised text, as members of a patent family do, are a group: `find` returns
  /// its first topic. Throws Error(kBadInput), naming all of them, if a text normalises to nothing,
  /// is not UTF-8 or has more than 64 combining marks on one character.
  TopicMatcher(const Qrels& qrels, std::span<const Text> texts);
  /// Reads a topics file (`id <TAB> text`, or JSON lines), plain or gzip. Throws Error(kIo,
  /// kBadInput) with its place.
  [[nodiscard]] static TopicMatcher load(const Qrels& qrels, const std::filesystem::path& topics);

  /// Returns the topic with this text, the first of its group, or kUnjudgedTopic, also if the text
  /// is not UTF-8. No allocation, no lock; O(length).
  [[nodiscard]] TopicIndex find(std::string_view text) const noexcept;
  /// Returns the number of different texts that can be matched.
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  /// Topics that share a text, in the order in which they were given. A query with this text counts
  /// for the first of them, and the others are never found by it.
  using Group = std::vector<TopicIndex>;
  /// Returns the groups of several topics, by text.
  [[nodiscard]] std::vector<Group> shared_texts() const;

 private:
  using TopicsByText = std::map<std::string, Group>;
  explicit TopicMatcher(const TopicsByText& topics);

  std::vector<std::pair<std::string, Group>> texts_;  // normalised
  KeySlots slots_;                                    // of texts_
  std::size_t longest_ = 0;
};

}  // namespace prescope
#pragma GCC visibility pop
