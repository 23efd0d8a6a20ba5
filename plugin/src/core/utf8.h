#pragma once

#include <string_view>

namespace prescope {

/// Whether the bytes are UTF-8 as RFC 3629 has it: no surrogates, nothing longer than it need be,
/// nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace prescope
