#include "support/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "support/scratch_file.h"

namespace prescope::testing {

/// Where the program's output goes.
struct Outputs {
  [[nodiscard]] Outcome with(int exit_code) const {
    return {.exit_code = exit_code, .out = content_of(out), .err = content_of(err)};
  }

  ScratchFolder folder{};
  std::string out = folder.write("out", ""), err = folder.write("err", "");
};

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

pid_t spawn(const Invocation& invocation, const std::string& out, const std::string& err) {
  std::vector<std::string> arguments = {invocation.program};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  std::map<std::string, std::string> variables = invocation.environment;
  variables.try_emplace("LC_ALL", "C");
  if (const char* path = std::getenv("PATH")) variables.try_emplace("PATH", path);
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_NOCTTY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_NOCTTY, 0);
  ::posix_spawn_file_actions_addchdir_np(&actions, invocation.folder.c_str());
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, invocation.program.c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), invocation.program);
  return child;
}

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

std::string read_to_end(int file) {
  std::string content;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(file, buffer.data(), buffer.size())) > 0;) {
    content.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return content;
}

}  // namespace

Outcome run_program(const Invocation& invocation) {
  const Outputs outputs;
  return outputs.with(exit_code_of(spawn(invocation, outputs.out, outputs.err)));
}

Outcome run_on_terminal(const Invocation& invocation) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    throw std::runtime_error("no pseudo-terminal");
  }
  if (invocation.columns > 0) {
    const winsize size{.ws_row = 24, .ws_col = invocation.columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(terminal, TIOCSWINSZ, &size);
  }
  const std::string name = ::ptsname(terminal);
  const pid_t child = spawn(invocation, name, name);
  Outcome outcome{.exit_code = -1, .out = read_to_end(terminal), .err = {}};
  outcome.exit_code = exit_code_of(child);
  ::close(terminal);
  return outcome;
}

struct RunningProgram::State {
  Outputs outputs;
  pid_t child = 0;
};

RunningProgram::RunningProgram(const Invocation& invocation) : state_(std::make_unique<State>()) {
  state_->child = spawn(invocation, state_->outputs.out, state_->outputs.err);
}

RunningProgram::~RunningProgram() {
  if (state_->child == 0) return;
  ::kill(state_->child, SIGKILL);
  exit_code_of(state_->child);
}

std::string RunningProgram::wait_for_line(std::string_view text) {
  return wait_for([text](std::string_view line) { return line.find(text) != line.npos; });
}

std::string RunningProgram::wait_for_line_from(std::string_view text) {
  return wait_for([text](std::string_view line) { return line.starts_with(text); });
}

std::string RunningProgram::wait_for(const std::function<bool(std::string_view)>& is_it) {
  for (bool runs = true; runs;) {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(state_->child), &ended, WEXITED | WNOHANG | WNOWAIT);
    runs = ended.si_pid == 0;
    std::istringstream lines(content_of(state_->outputs.out) + content_of(state_->outputs.err));
    for (std::string line; std::getline(lines, line);) {
      if (is_it(line) && !lines.eof()) return line;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return "";
}

Outcome RunningProgram::end(int signal) {
  ::kill(state_->child, signal);
  return state_->outputs.with(exit_code_of(std::exchange(state_->child, 0)));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

}  // namespace prescope::testing
