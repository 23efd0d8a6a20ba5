#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/types.h"

namespace prescope::cli {

/// Integers in [1, 2^31) from "10,100" and "1000", as a flag that may be repeated gives them, in
/// that order. Throws Error(kUsage) with all words that are none, naming the flag and `what` was
/// expected.
[[nodiscard]] std::vector<std::uint32_t> positive_numbers(std::string_view flag,
                                                          std::string_view what,
                                                          const std::vector<std::string>& words);

/// Likewise, ascending, each once.
[[nodiscard]] std::vector<Cutoff> cutoff_list(std::string_view flag,
                                              const std::vector<std::string>& words);

}  // namespace prescope::cli
