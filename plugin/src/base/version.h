#pragma once

#include <string_view>

namespace prescope {

/// The library's version, such as "0.1.0".
inline constexpr std::string_view kVersion = PRESCOPE_VERSION;

}  // namespace prescope
