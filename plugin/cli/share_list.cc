#include "cli/share_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/comma_list.h"
#include "cli/problems.h"

namespace prescope::cli {

std::vector<double> share_list(std::string_view flag, std::span<const std::string> lists) {
  Problems problems;
  std::vector<double> shares;
  for (const std::string_view list : lists) {
    for (const std::string_view word : comma_separated(list)) {
      double share = 0.0;
      const char* const end = word.data() + word.size();
      const auto [stopped, failed] = std::from_chars(word.data(), end, share);
      if (failed == std::errc() && stopped == end && share > 0.0 && share <= 1.0) {
        shares.push_back(share);
      } else {
        problems.add(flag,
                     fmt::format("'{}' is not a share above 0 and at most 1, such as 0.2", word));
      }
    }
  }
  problems.throw_if_any();
  std::ranges::sort(shares);
  const auto repeated = std::ranges::unique(shares);
  shares.erase(repeated.begin(), repeated.end());
  return shares;
}

}  // namespace prescope::cli
