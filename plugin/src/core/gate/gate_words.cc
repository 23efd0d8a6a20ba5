#include "core/gate/gate_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prescope {

std::string percent_words(double share) {
  const double percent = 100.0 * share;
  const double from_end = std::min(percent, std::abs(100.0 - percent));
  return fmt::format("{:.{}f} %", percent, from_end > 0.0 && from_end < 0.1 ? 3 : 1);
}

std::string relative_words(double change) { return fmt::format("{:+.1f} %", 100.0 * change); }

std::string counted_words(std::uint64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string listed_topics(std::span<const TopicId> topics) {
  constexpr std::size_t kNamed = 5;
  std::string words;
  for (const TopicId& topic : topics.first(std::min(topics.size(), kNamed))) {
    if (!words.empty()) words += ", ";
    words += topic.text();
  }
  if (topics.size() > kNamed) words += fmt::format(" and {} more", topics.size() - kNamed);
  return words;
}

}  // namespace prescope
