#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace prescope::cli {

/// What stands between commas, empty words too: "a,,b" has three.
inline std::vector<std::string_view> comma_separated(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace prescope::cli
