#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/trec_eval_command.h"
#include "prescope/error.h"

namespace prescope::cli {
namespace {

/// Goes on as the executable that has all commands.
[[noreturn]] void become_all_commands(char** argv) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string path =
      (folder / PRESCOPE_ALL_COMMANDS_FROM_PROGRAM).lexically_normal().string();
  ::execv(path.c_str(), argv);
  throw Error(
      ErrorCode::kIo,
      fmt::format("{}: cannot be started ({}); expected beside this program, which by itself "
                  "has only evaluate, explain and trec_eval; install prescope anew",
                  path, std::strerror(errno)));
}

}  // namespace

int run_command_line(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  // Its options are trec_eval's, which would be read as the program's otherwise.
  if (word == kTrecEval) return run_trec_eval(argc - 1, argv + 1);
  const auto* const command = std::ranges::find(kRunFileCommands, word, &Command::name);
  if (command == kRunFileCommands.end()) become_all_commands(argv);
  ProgramParser program(program_words());
  command->add_to(program);
  return program.run(argc, argv);
}

}  // namespace prescope::cli
