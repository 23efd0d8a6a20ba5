#pragma once

#include <fmt/format.h>
#include <limits>

#include "prescope/error.h"

namespace prescope {

// An Error with its code, and a message that is formatted as fmt does.

template <class... Args>
[[nodiscard]] Error usage_error(fmt::format_string<Args...> message, Args&&... args) {
  return {ErrorCode::kUsage, fmt::format(message, std::forward<Args>(args)...)};
}
template <class... Args>
[[nodiscard]] Error bad_input_error(fmt::format_string<Args...> message, Args&&... args) {
  return {ErrorCode::kBadInput, fmt::format(message, std::forward<Args>(args)...)};
}
template <class... Args>
[[nodiscard]] Error io_error(fmt::format_string<Args...> message, Args&&... args) {
  return {ErrorCode::kIo, fmt::format(message, std::forward<Args>(args)...)};
}
template <class... Args>
[[nodiscard]] Error engine_error(fmt::format_string<Args...> message, Args&&... args) {
  return {ErrorCode::kEngine, fmt::format(message, std::forward<Args>(args)...)};
}

/// "from 1 to 10"; "of at least 1" if `most` is the largest number of 64 bits, which nobody means
/// as a limit.
template <class Integer>
[[nodiscard]] std::string range_words(Integer least, Integer most) {
  const bool is_open = sizeof(Integer) == 8 && most == std::numeric_limits<Integer>::max();
  if (!is_open) return fmt::format("from {} to {}", least, most);
  return least == std::numeric_limits<Integer>::min() && least != 0
             ? std::string("of at most 64 bits")
             : fmt::format("of at least {}", least);
}

}  // namespace prescope
