#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace prescope {

/// A program that runs beside a test, in a scratch folder that is removed with it. It does not
/// outlive the test, not even one that dies.
class ChildProcess {
 public:
  ChildProcess();
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// For files of its own; there before it starts.
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  /// The program, found on PATH, and its arguments. At most once.
  void start(const std::vector<std::string>& command);
  /// What it has written to stdout and stderr so far.
  [[nodiscard]] std::string said() const;
  /// The first group of the expression in what it says, as soon as it says so. Throws
  /// std::runtime_error with all it said where a minute passes.
  [[nodiscard]] std::string wait_for(const std::string& expression) const;

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
};

}  // namespace prescope
