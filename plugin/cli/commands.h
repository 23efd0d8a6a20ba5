#pragma once

#include <CLI/CLI.hpp>
#include <functional>

/// One function for each command: it adds the command to the program and gives what the command
/// does once the whole command line is known to be valid. Bodies throw prescope::Error.
namespace prescope::cli {

using CommandBody = std::function<void()>;

struct Command {
  CLI::App* parser = nullptr;
  CommandBody body;
};

[[nodiscard]] Command add_index_command(CLI::App& program);
[[nodiscard]] Command add_replay_command(CLI::App& program);
[[nodiscard]] Command add_evaluate_command(CLI::App& program);
[[nodiscard]] Command add_compare_command(CLI::App& program);
[[nodiscard]] Command add_convert_command(CLI::App& program);
[[nodiscard]] Command add_explain_command(CLI::App& program);

}  // namespace prescope::cli
