#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>

namespace prescope::cli {

[[nodiscard]] bool is_terminal(std::FILE* stream) noexcept;
/// A terminal that understands colours, and a user who has not set NO_COLOR.
[[nodiscard]] bool wants_color(std::FILE* stream) noexcept;

/// Columns of the terminal; nothing where it is none or does not say.
[[nodiscard]] std::optional<std::size_t> terminal_width(std::FILE* stream) noexcept;

/// On stderr, each line as `prescope: LINE`.
void print_error(std::string_view message);
/// On stderr: what the user should know though the command goes on.
void print_note(std::string_view message);
/// Thrown where nobody reads stdout any more, as behind `| head`: nothing is wrong, and nothing is
/// left to do.
struct ReaderGone {};

/// On stdout. Throws Error(kIo) where it cannot be written, ReaderGone where nobody reads it.
void print_result(std::string_view text);

}  // namespace prescope::cli
