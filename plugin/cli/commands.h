#pragma once

#include <array>
#include <string_view>

#include "cli/command_parser.h"

/// One function for each command: it adds the command to the program, with what the command does.
/// The bodies throw prescope::Error.
namespace prescope::cli {

void add_index_command(ProgramParser& program);
void add_replay_command(ProgramParser& program);
void add_evaluate_command(ProgramParser& program);
void add_compare_command(ProgramParser& program);
void add_convert_command(ProgramParser& program);
void add_explain_command(ProgramParser& program);
void add_log_command(ProgramParser& program);
void add_pin_command(ProgramParser& program);
void add_gate_command(ProgramParser& program);
void add_history_command(ProgramParser& program);
void add_serve_command(ProgramParser& program);
void add_prune_command(ProgramParser& program);
/// The group of all studies.
void add_study_commands(ProgramParser& program);

inline constexpr const char* kTrecEval = "trec_eval";

/// What the program's help and version say, but for examples.
[[nodiscard]] inline ProgramParser::Words program_words() {
  return {.name = "prescope",
          .description =
              "PRES, Recall, MAP and more: of run files, and of a search engine under "
              "each ranking configuration.",
          .version = "prescope " PRESCOPE_VERSION,
          .footer = {}};
}

struct Command {
  std::string_view name;
  void (*add_to)(ProgramParser& program);
};

/// Those that need run files and judgements and nothing else.
inline constexpr std::array kRunFileCommands = {Command{"evaluate", add_evaluate_command},
                                                Command{"explain", add_explain_command}};

}  // namespace prescope::cli
