#pragma once

#include "cli/options/command_parser.h"

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

}  // namespace prescope::cli
