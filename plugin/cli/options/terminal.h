#pragma once

#include <cstdio>

#include "report/text/tables.h"

namespace prescope::cli {

/// Opens stdin, stdout and stderr if the caller closed them, so that no other file takes their
/// numbers. Reading or writing them fails. Call it before anything else is opened.
void reserve_standard_streams() noexcept;

[[nodiscard]] bool is_terminal(std::FILE* stream) noexcept;
/// Colours if stdout is a terminal that understands them, and the user has not set NO_COLOR. The
/// width of the terminal if it is one, else COLUMNS if that is set.
[[nodiscard]] TextLook stdout_look() noexcept;

/// Columns of the terminal, at least 20; nothing if it is none or does not say.
[[nodiscard]] std::optional<std::size_t> terminal_width(std::FILE* stream) noexcept;

/// Writes the text to stderr. If stderr does not take it, the program goes on, and
/// `exit_code_after_messages` reports the loss.
void print_message(const std::string& text) noexcept;
/// Writes each line to stderr as `prescope: LINE`, with control characters escaped.
void print_error(std::string_view message);
/// Writes to stderr what the user should know though the command goes on.
void print_note(std::string_view message);
/// Returns the exit code of the program if its command ends with `exit_code`: 2 instead of 0 if a
/// message was lost. Nothing is lost if the reader of a pipe has gone.
[[nodiscard]] int exit_code_after_messages(int exit_code) noexcept;
/// Thrown if nobody reads stdout any more, as behind `| head`: nothing is wrong.
struct ReaderGone {};

/// Writes to stdout. Throws Error(kIo) if it cannot be written, ReaderGone if nobody reads it.
void print_result(std::string_view text);

/// Writes a sentence to stdout, as `print_result` does, in lines that fit the terminal. It may end
/// with a line feed.
void print_sentence(std::string_view sentence);

/// `help` in lines of at most `columns` columns: descriptions go on below their beginning, examples
/// behind a backslash. Unchanged without `columns`.
[[nodiscard]] std::string fitted_help(std::string_view help, std::optional<std::size_t> columns);

/// The user's name: USER, else LOGNAME, else the system's name for the user's number, else that
/// number.
[[nodiscard]] std::string user_name();

/// Says on stderr how far a command has come: one line that is updated on a terminal, otherwise
/// plain lines, seconds apart. Single-threaded.
class Progress {
 public:
  /// `what` is counted, in the singular ("topic").
  explicit Progress(std::string what) : what_(std::move(what)) {}
  /// Leaves the terminal's line clean.
  ~Progress() { clear_line(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins to count anew; the total is known.
  void begin(std::uint64_t total);
  void tick();
  /// Shows at once what takes long by itself.
  void show(std::string_view text);
  /// The last line: how many in what time.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string line(Clock::time_point now) const;
  [[nodiscard]] bool is_due(Clock::time_point now) const;
  void clear_line();

  const std::string what_;
  const bool on_terminal_ = is_terminal(stderr);
  std::uint64_t total_ = 0;  // 0: not known
  Clock::time_point began_ = Clock::now();
  Clock::time_point shown_ = began_;
  std::uint64_t done_ = 0;
  std::uint64_t done_when_shown_ = 0;
  bool line_is_open_ = false;
};

/// Shows how far work has come that says, before the first and after each step, how many of all are
/// done; one call at a time.
[[nodiscard]] std::function<void(std::uint64_t done, std::uint64_t all)> show_progress(
    std::string what);

}  // namespace prescope::cli
