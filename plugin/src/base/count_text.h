#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <string>
#include <string_view>

namespace prescope {

/// 26,283: thousands parted for the eye.
[[nodiscard]] std::string grouped_text(std::uint64_t count);
/// "1 topic", "2 topics", "26,283 topics".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view singular,
                                     std::string_view plural = {});

}  // namespace prescope
