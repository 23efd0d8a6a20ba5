#include "benchmarks/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

namespace prescope::benchmarks {

Taken run(const std::vector<std::string>& command, const std::filesystem::path& out) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string errors = out == "/dev/null" ? out.string() : out.string() + ".err";
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), kNew, 0644);
  posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), kNew, 0644);
  const auto began = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error("cannot run " + command[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const auto ended = std::chrono::steady_clock::now();
  return {.seconds = std::chrono::duration<double>(ended - began).count(),
          .peak_kilobytes = usage.ru_maxrss,
          .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

std::string output_of(const std::string& shell_command) {
  std::FILE* const pipe = popen(shell_command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) != 0;) {
    text.append(block, got);
  }
  if (pclose(pipe) != 0) return {};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace prescope::benchmarks
