#pragma once

#include "base/count_text.h"
#include "runs/alike_topics.h"

namespace prescope {

/// The unit of tests and evidence: "topic", or "family" if there is a family map.
[[nodiscard]] constexpr std::string_view unit_word(bool has_family_map) noexcept {
  return has_family_map ? "family" : "topic";
}
[[nodiscard]] constexpr std::string_view units_word(bool has_family_map) noexcept {
  return has_family_map ? "families" : "topics";
}
/// "3 topics", "1 family", "212 families".
[[nodiscard]] inline std::string units_text(std::uint64_t count, bool has_family_map) {
  return has_family_map ? count_text(count, "family", "families") : count_text(count, "topic");
}

/// Returns a sentence, without a full stop, if most topics that can be told apart look like another
/// one: `alike` of `topics`, as AlikeTopics counts them. Empty if not.
[[nodiscard]] inline std::string near_duplicates_words(std::uint32_t topics, std::uint32_t alike) {
  constexpr std::uint32_t kFewest = 10;
  if (alike < kFewest || 2 * alike < topics) return {};
  return fmt::format(
      "{} have their relevant documents at the same ranks as another topic, in both rankings: if "
      "they are near-duplicates, such as members of a patent family, each counts as evidence of "
      "its own and the verdict is too sure; give a family map, so that each family counts once",
      count_text(alike, "topic"));
}

}  // namespace prescope
