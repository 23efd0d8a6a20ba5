#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/scratch_file.h"

namespace prescope {

/// A program that runs beside a test, in a scratch folder that is removed with it. It ends with
/// this object, as do the processes that it has started, and also if the test dies.
class ChildProcess {
 public:
  /// Makes the scratch folder in `parent`.
  explicit ChildProcess(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : folder_(parent) {}
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// For files of its own; there before it starts.
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
  /// The program, found on PATH, and its arguments. Only while none runs. Its standard input is
  /// empty and ends when this process does, or when the program has ended.
  void start(const std::vector<std::string>& command);
  /// Ends it at once, without a chance to clean up.
  void kill();
  /// Sends a signal to it and to the processes that it has started. Only while it runs.
  void signal(int number) const;
  [[nodiscard]] bool has_ended() const;
  /// Returns the output on stdout and stderr so far.
  [[nodiscard]] std::string said() const;
  /// Waits for output that matches the expression and returns its first group. Throws
  /// std::runtime_error with all output so far if the program ends or a minute passes.
  [[nodiscard]] std::string wait_for(const std::string& expression) const;

 private:
  void reap();

  ScratchFolder folder_;
  pid_t process_ = -1;
  int input_ = -1;  // the end of the pipe that nothing is written to
};

}  // namespace prescope
