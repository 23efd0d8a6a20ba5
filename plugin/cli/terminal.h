#pragma once

#include <cstdio>
#include <string_view>

namespace prescope::cli {

[[nodiscard]] bool is_terminal(std::FILE* stream) noexcept;
/// A terminal that understands colours, and a user who has not set NO_COLOR.
[[nodiscard]] bool wants_color(std::FILE* stream) noexcept;

/// On stderr, each line as `prescope: LINE`.
void print_error(std::string_view message);
/// On stderr: what the user should know though the command goes on.
void print_note(std::string_view message);
/// On stdout. Throws Error(kIo) where it cannot be written.
void print_result(std::string_view text);

}  // namespace prescope::cli
