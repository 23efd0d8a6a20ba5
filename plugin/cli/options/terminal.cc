#include "cli/options/terminal.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text_file.h"

namespace prescope::cli {

namespace {

bool message_was_lost = false;

/// Returns whether stderr took the text. Never throws: nobody could be told.
bool write_to_stderr(const std::string& text) noexcept {
  return std::fwrite(text.data(), 1, text.size(), stderr) == text.size();
}

/// Narrower lines cannot be read.
constexpr std::size_t kLeastColumns = 20;

TableOptions::Color stdout_color() noexcept {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_colored = is_terminal(stdout) && (no_color == nullptr || *no_color == '\0') &&
                          (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
  return is_colored ? TableOptions::Color::kAlways : TableOptions::Color::kNever;
}

std::optional<std::size_t> columns_of_environment() noexcept {
  const char* const set = std::getenv("COLUMNS");
  const auto columns = set == nullptr ? std::nullopt : whole_number<std::size_t>(set);
  if (!columns || *columns == 0) return std::nullopt;
  return std::max(kLeastColumns, *columns);
}

/// In one line, or in lines that fit the terminal.
std::string message_lines(std::string_view label, std::string_view message) {
  return fitted(message, {TableOptions::Color::kNever, terminal_width(stderr)}, label);
}

/// A command that a shell can be given, on several lines.
std::string fitted_example(std::string_view line, std::size_t columns) {
  constexpr std::string_view kGoesOn = " \\";
  constexpr std::size_t kIndent = 2;
  std::string lines = wrapped(line.substr(kIndent), std::string(kIndent, ' '), 2 * kIndent,
                              columns - kGoesOn.size());
  for (std::size_t end = 0; (end = lines.find('\n', end)) + 1 < lines.size();) {
    lines.insert(end, kGoesOn);
    end += kGoesOn.size() + 1;
  }
  return lines;
}

/// In narrower terminals, descriptions begin further left, below long names.
constexpr std::size_t kWideHelp = 80;

/// A paragraph, or a description behind an option's name or below it.
std::string fitted_line(std::string_view line, std::size_t columns) {
  constexpr std::size_t kDescription = 20, kFold = 4;
  const std::size_t most = columns < kWideHelp ? columns / 3 : line.size();
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  const std::size_t text = line.find_first_not_of(' ', gap);
  if (begin >= kDescription) {
    const std::size_t indent = std::min(begin, most);
    return wrapped(line.substr(begin), std::string(indent, ' '), indent, columns);
  }
  if (begin == 0 || text == line.npos) {
    return wrapped(line.substr(begin), line.substr(0, begin), begin == 0 ? 0 : begin + kFold,
                   columns);
  }
  const std::size_t indent = std::min(text, most);
  const std::string_view name = line.substr(0, gap), description = line.substr(text);
  if (name.size() + 2 <= indent) {
    return wrapped(description, fmt::format("{:<{}}", name, indent), indent, columns);
  }
  return fmt::format("{}\n{}", name,
                     wrapped(description, std::string(indent, ' '), indent, columns));
}

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::seconds kLineInterval{3};

}  // namespace

void reserve_standard_streams() noexcept {
  // Opened in the wrong direction, so that using a stream fails as if it were still closed.
  constexpr int kWrongDirections[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    const bool is_closed = ::fcntl(stream, F_GETFD) == -1 && errno == EBADF;
    if (is_closed) static_cast<void>(::open("/dev/null", kWrongDirections[stream]));
  }
}

void print_message(const std::string& text) noexcept {
  if (!write_to_stderr(text) && errno != EPIPE) message_was_lost = true;
}

int exit_code_after_messages(int exit_code) noexcept {
  return exit_code == 0 && message_was_lost ? 2 : exit_code;
}

bool is_terminal(std::FILE* stream) noexcept { return ::isatty(::fileno(stream)) == 1; }

TextLook stdout_look() noexcept {
  const std::optional<std::size_t> terminal = terminal_width(stdout);
  return {stdout_color(), terminal ? terminal : columns_of_environment()};
}

std::optional<std::size_t> terminal_width(std::FILE* stream) noexcept {
  winsize size{};
  if (!is_terminal(stream) || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0)
    return std::nullopt;
  if (size.ws_col == 0) return std::nullopt;
  return std::max(kLeastColumns, std::size_t{size.ws_col});
}

void print_error(std::string_view message) {
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    print_message(message_lines("prescope: ", message.substr(0, end)));
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
  }
}

void print_note(std::string_view message) {
  print_message(message_lines("prescope: note: ", message));
}

void print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    if (errno == EPIPE) throw ReaderGone();
    throw io_error("standard output: {}", std::strerror(errno));
  }
}

void print_sentence(std::string_view sentence) {
  if (sentence.ends_with('\n')) sentence.remove_suffix(1);
  print_result(fitted(sentence, stdout_look()));
}

std::string fitted_help(std::string_view help, std::optional<std::size_t> columns) {
  if (!columns) return std::string(help);
  std::string out;
  bool is_example = false;
  while (!help.empty()) {
    const std::string_view line = help.substr(0, help.find('\n'));
    help.remove_prefix(std::min(help.size(), line.size() + 1));
    const bool is_kept = *columns >= kWideHelp || is_example || !line.starts_with(' ');
    if (is_kept && text_width(line) <= *columns) {
      out.append(line) += '\n';
    } else {
      const bool is_command = is_example && line.starts_with(' ');
      out += is_command ? fitted_example(line, *columns) : fitted_line(line, *columns);
    }
    is_example = is_example || line.starts_with("Example");
  }
  return out;
}

std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"}) {
    const char* const name = std::getenv(variable);
    if (name != nullptr && *name != '\0') return name;
  }
  const passwd* const entry = ::getpwuid(::getuid());
  return entry != nullptr ? std::string(entry->pw_name) : fmt::format("user {}", ::getuid());
}

void Progress::begin(std::uint64_t total) {
  total_ = total;
  done_ = done_when_shown_ = 0;
  began_ = shown_ = Clock::now();
}

void Progress::clear_line() {
  if (line_is_open_) write_to_stderr("\r\x1b[K");
  line_is_open_ = false;
}

bool Progress::is_due(Clock::time_point now) const {
  if (on_terminal_) return now - shown_ >= kTerminalInterval;
  constexpr std::uint64_t kLinesAtMost = 10;
  return now - shown_ >= kLineInterval && done_ - done_when_shown_ >= total_ / kLinesAtMost;
}

std::string Progress::line(Clock::time_point now) const {
  const double elapsed = seconds(now - began_);
  const double rate = elapsed > 0.0 ? static_cast<double>(done_) / elapsed : 0.0;
  if (total_ == 0) return fmt::format("{}, {:.0f}/s", count_text(done_, what_), rate);
  const double left = rate > 0.0 ? static_cast<double>(total_ - done_) / rate : 0.0;
  return fmt::format("{} of {}, {:.1f}/s, {:.0f} s left", grouped_text(done_),
                     count_text(total_, what_), rate, left);
}

void Progress::tick() {
  ++done_;
  const Clock::time_point now = Clock::now();
  if (!is_due(now)) return;
  shown_ = now;
  done_when_shown_ = done_;
  show(line(now));
}

void Progress::show(std::string_view text) {
  line_is_open_ = on_terminal_;
  if (on_terminal_) {
    const std::size_t width = terminal_width(stderr).value_or(kTableWidth);
    write_to_stderr("\r\x1b[K" + shortened(std::string(text), width - 1));
  } else {
    write_to_stderr(fmt::format("prescope: {}\n", text));
  }
}

void Progress::finish() {
  clear_line();
  write_to_stderr(fmt::format("prescope: {} in {:.1f} s\n", count_text(done_, what_),
                              seconds(Clock::now() - began_)));
}

std::function<void(std::uint64_t done, std::uint64_t all)> show_progress(std::string what) {
  return [progress = std::make_shared<Progress>(std::move(what))](std::uint64_t done,
                                                                  std::uint64_t all) {
    if (done == 0) return progress->begin(all);
    progress->tick();
    if (done == all) progress->finish();
  };
}

}  // namespace prescope::cli
