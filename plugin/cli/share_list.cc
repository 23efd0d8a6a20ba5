#include "cli/share_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/problems.h"

namespace prescope::cli {
namespace {

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::vector<double> share_list(std::string_view flag, std::span<const std::string> lists) {
  Problems problems;
  std::vector<double> shares;
  for (const std::string_view list : lists) {
    for (const std::string_view word : words_of(list)) {
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
