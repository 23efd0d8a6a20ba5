#pragma once

#include <string_view>

namespace prescope::serve {

/// Of the library: "0.1.0".
inline constexpr std::string_view kVersion = PRESCOPE_VERSION;

}  // namespace prescope::serve
