#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/built_files.h"

namespace prescope::testing {

/// Result of a run of the real program.
struct Outcome {
  int exit_code = -1;  ///< 128 + signal if one ended it
  std::string out, err;
};

struct Invocation {
  std::vector<std::string> arguments;
  /// Beside PATH, and LC_ALL=C unless it is among them; nothing is inherited.
  std::map<std::string, std::string> environment;
  std::filesystem::path folder = ".";  ///< to run in
  std::string program = prescope_program();
  unsigned short columns = 0;  ///< of a terminal; 0: it does not say
};

/// Runs `prescope ARGUMENTS...` to its end, stdout and stderr apart, neither a terminal.
[[nodiscard]] Outcome run_program(const Invocation& invocation);

/// Runs it with stdout and stderr on one pseudo-terminal, whose whole text is in `out`.
[[nodiscard]] Outcome run_on_terminal(const Invocation& invocation);

/// A run of the real program that is ended from outside, such as a server's.
class RunningProgram {
 public:
  explicit RunningProgram(const Invocation& invocation);
  /// Kills the program if it still runs.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// Waits for a line with `text` on stdout or stderr. Empty if the program ended without one.
  [[nodiscard]] std::string wait_for_line(std::string_view text);
  /// Waits for a line that begins with the text.
  [[nodiscard]] std::string wait_for_line_from(std::string_view text);
  /// Sends the signal, and waits for the end.
  [[nodiscard]] Outcome end(int signal);

 private:
  [[nodiscard]] std::string wait_for(const std::function<bool(std::string_view)>& is_it);

  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the lines of the text without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// Returns the words of the text separated by one blank, so that line widths do not matter.
[[nodiscard]] std::string unwrapped(const std::string& text);

}  // namespace prescope::testing
