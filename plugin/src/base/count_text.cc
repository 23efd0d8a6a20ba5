#include "base/count_text.h"

namespace prescope {

std::string grouped_text(std::uint64_t count) {
  constexpr std::size_t kGroup = 3;
  std::string text = fmt::format("{}", count);
  for (std::size_t at = text.size(); at > kGroup; at -= kGroup) text.insert(at - kGroup, 1, ',');
  return text;
}

std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", grouped_text(count), singular)
                        : fmt::format("{} {}", grouped_text(count), plural);
}

}  // namespace prescope
