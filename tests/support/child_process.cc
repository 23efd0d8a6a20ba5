#include "support/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <regex>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace prescope {

ChildProcess::~ChildProcess() {
  if (process_ <= 0) return;
  signal(SIGTERM);
  reap();
}

void ChildProcess::start(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string log = folder_.write("said", "");
  int input[2] = {-1, -1};
  if (::pipe2(input, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  process_ = ::fork();
  ::setpgid(process_, process_);  // for its own children, too
  if (process_ != 0) {
    ::close(input[0]);
    input_ = input[1];
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(input[0], STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

void ChildProcess::kill() {
  if (process_ <= 0) return;
  signal(SIGKILL);
  reap();
}

void ChildProcess::reap() {
  ::waitpid(process_, nullptr, 0);
  ::close(input_);
  process_ = -1;
}

void ChildProcess::signal(int number) const { ::kill(-process_, number); }

bool ChildProcess::has_ended() const {
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return ended.si_pid != 0;
}

std::string ChildProcess::said() const { return content_of(folder() / "said"); }

std::string ChildProcess::wait_for(const std::string& expression) const {
  using namespace std::chrono_literals;
  const std::regex wanted(expression);
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (true) {
    const bool is_over = has_ended() || std::chrono::steady_clock::now() > end;
    const std::string words = said();
    std::smatch found;
    if (std::regex_search(words, found, wanted)) return found[1];
    if (is_over) {
      throw std::runtime_error("'" + expression + "' is not in:\n" + words);
    }
    std::this_thread::sleep_for(20ms);
  }
}

}  // namespace prescope
