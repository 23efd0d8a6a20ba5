#pragma once

#include "base/count_text.h"
#include "prescope/slices.h"

namespace prescope {

/// Names a slice: "section D", "topics without section" or, if it stands for several small slices,
/// "3 small slices of section".
[[nodiscard]] inline std::string slice_words(std::string_view dimension, std::string_view name,
                                             std::uint32_t slices = 1) {
  if (slices > 1) return fmt::format("{} of {}", count_text(slices, "small slice"), dimension);
  return name == kUnsliced ? fmt::format("topics without {}", dimension)
                           : fmt::format("{} {}", dimension, name);
}

/// Names a slice in a table of its dimension: "D", "(none)", "3 small slices".
[[nodiscard]] inline std::string slice_title(std::string_view name, std::uint32_t slices) {
  return slices > 1 ? count_text(slices, "small slice") : std::string(name);
}

/// "3 topics of the slices are not judged, such as T9."
[[nodiscard]] inline std::string unjudged_words(std::uint64_t topics, std::string_view example) {
  return fmt::format("{} of the slices {} not judged, such as {}.", count_text(topics, "topic"),
                     topics == 1 ? "is" : "are", example);
}

}  // namespace prescope
