#pragma once

#include <fmt/format.h>

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

}  // namespace prescope
