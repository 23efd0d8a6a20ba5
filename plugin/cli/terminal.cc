#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "prescope/error.h"

namespace prescope::cli {

bool is_terminal(std::FILE* stream) noexcept { return ::isatty(::fileno(stream)) == 1; }

bool wants_color(std::FILE* stream) noexcept {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return is_terminal(stream) && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

std::optional<std::size_t> terminal_width(std::FILE* stream) noexcept {
  winsize size{};
  if (!is_terminal(stream) || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0)
    return std::nullopt;
  return size.ws_col == 0 ? std::nullopt : std::optional<std::size_t>(size.ws_col);
}

void print_error(std::string_view message) {
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    fmt::print(stderr, "prescope: {}\n", message.substr(0, end));
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
  }
}

void print_note(std::string_view message) { fmt::print(stderr, "prescope: note: {}\n", message); }

void print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    if (errno == EPIPE) throw ReaderGone();
    throw Error(ErrorCode::kIo, fmt::format("standard output: {}", std::strerror(errno)));
  }
}

}  // namespace prescope::cli
