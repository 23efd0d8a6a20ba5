#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prescope::cli {

/// ".2,.4" and "0.6", as a flag that may be repeated gives them: shares above 0 and at most 1,
/// ascending, each once. Throws Error(kUsage) with all words that are none, naming the flag.
[[nodiscard]] std::vector<double> share_list(std::string_view flag,
                                             std::span<const std::string> lists);

}  // namespace prescope::cli
