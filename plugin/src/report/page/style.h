#pragma once

#include <string_view>

namespace prescope::page {

/// The style sheet of every page, for dark and light screens and for paper.
[[nodiscard]] std::string_view style() noexcept;

}  // namespace prescope::page
