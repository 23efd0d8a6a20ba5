#include "cli/command_line.h"

#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engine_module.h"
#include "cli/terminal.h"
#include "cli/trec_eval_command.h"
#include "prescope/error.h"

namespace prescope::cli {
namespace {

/// CLI11 says that an argument was not expected, but not what was meant.
std::optional<std::string> unexpected_flag(const CLI::App& parser) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(flags.begin(), flags.end());
  for (const std::string& argument : parser.remaining()) {
    if (!argument.starts_with('-')) continue;
    return unknown_name_message("option", argument.substr(0, argument.find('=')), candidates);
  }
  return std::nullopt;
}

std::optional<std::string> unexpected_argument(const CLI::App& program, const CLI::App* command) {
  const CLI::App& parser = command == nullptr ? program : *command;
  if (auto message = unexpected_flag(parser)) return message;
  const std::vector<std::string> extras = parser.remaining();
  if (extras.empty()) return std::nullopt;
  if (command != nullptr) {
    return fmt::format("unexpected argument '{}'; see 'prescope {} --help'", extras.front(),
                       command->get_name());
  }
  std::vector<std::string_view> commands;
  for (const CLI::App* each : program.get_subcommands({})) commands.push_back(each->get_name());
  return unknown_name_message("command", extras.front(), commands);
}

const CLI::App* chosen_command(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  return chosen.empty() ? nullptr : chosen.front();
}

std::string with_help_hint(const std::string& message, const CLI::App* command) {
  return fmt::format("{}; see 'prescope {}--help'", message,
                     command == nullptr ? "" : command->get_name() + " ");
}

void set_up(CLI::App& program) {
  program.name("prescope");
  program.set_version_flag("--version", "prescope " PRESCOPE_VERSION);
  program.footer([] {
    return fmt::format(
        "Example:\n"
        "  prescope index --engine {} --out index patents.jsonl.gz\n"
        "  prescope replay experiment.toml --json result.json\n\n"
        "'prescope COMMAND --help' describes a command.",
        example_engine());
  });
}

}  // namespace

int run_command_line(int argc, char** argv) {
  // Its options are trec_eval's, which CLI11 would read otherwise.
  if (argc > 1 && std::string_view(argv[1]) == "trec_eval")
    return run_trec_eval(argc - 1, argv + 1);
  CLI::App program("PRES, Recall and MAP of a search engine, per topic and ranking configuration.");
  set_up(program);
  const std::vector<Command> commands = {
      add_index_command(program),   add_replay_command(program),  add_evaluate_command(program),
      add_compare_command(program), add_convert_command(program), add_explain_command(program)};
  program.allow_extras();
  for (const Command& command : commands) command.parser->allow_extras();

  std::optional<std::string> refused;
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return program.exit(asked_for_help, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    refused = with_help_hint(error.what(), chosen_command(program));
  }
  const CLI::App* chosen = chosen_command(program);
  if (auto unexpected = unexpected_argument(program, chosen)) refused = unexpected;
  if (refused) throw Error(ErrorCode::kUsage, *refused);
  if (chosen == nullptr) {
    std::cerr << program.help();
    return kExitBadInput;
  }
  for (const Command& command : commands) {
    if (command.parser == chosen) command.body();
  }
  return kExitOk;
}

}  // namespace prescope::cli
