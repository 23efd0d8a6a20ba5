#pragma once

#include "cli/options/command.h"
#include "prescope/dashboard.h"
#include "replay/replay_options.h"

/// One function for each command: it adds the command to the program, with what the command does.
/// The bodies throw prescope::Error.
namespace prescope::cli {

void add_index_command(Command& program);
void add_replay_command(Command& program);
void add_selftest_command(Command& program);
void add_evaluate_command(Command& program);
void add_compare_command(Command& program);
void add_plan_command(Command& program);
void add_convert_command(Command& program);
void add_explain_command(Command& program);
void add_log_command(Command& program);
void add_pin_command(Command& program);
void add_gate_command(Command& program);
void add_history_command(Command& program);
void add_serve_command(Command& program);
void add_collect_command(Command& program);
void add_prune_command(Command& program);
void add_ship_command(Command& program);
/// The group `prescope fleet`.
void add_fleet_commands(Command& program);
/// The group `prescope citations`.
void add_citations_commands(Command& program);
void add_completion_command(Command& program);
/// Prints what the last of the words behind "prescope" may be: the word, a tab, its description; a
/// line each. Nothing if it is a file or anything else. The scripts of `completion` ask for it.
void print_completions(const Command& program, std::vector<std::string> words);
void add_man_command(Command& program);
/// The group of all studies.
void add_study_commands(Command& program);

/// The first line of a file, or, without one, what the variable PRESCOPE_TOKEN says: every user of
/// the machine can read a command line. Empty if there is neither. Throws Error if the file cannot
/// be read or begins with an empty line.
[[nodiscard]] std::string dashboard_token(const std::string& file = "");

/// Adds the options of a server that decide who may use it.
void add_access_flags(Command& command, DashboardOptions& options, std::string& token_file);

/// Adds the flags of kOptionKeys, of arms and of citation categories.
void add_experiment_flags(Command& command, ReplayFlags& flags);
/// Adds the flag of a key.
void add_flag(Command& command, const OptionKey& key, ReplayFlags& flags);
/// Adds the flags of kActionKeys.
void add_action_flags(Command& command, ReplayFlags& flags);

inline constexpr const char* kTrecEval = "trec_eval";
/// Adds the command for help, completion and manual pages only.
void add_trec_eval_command(Command& program);
/// `prescope trec_eval ...`, which reads its arguments as trec_eval does; `argv[0]` is "trec_eval".
/// Returns the exit code; throws prescope::Error.
int run_trec_eval(int argc, char** argv);

}  // namespace prescope::cli
