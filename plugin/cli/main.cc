#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/trec_eval_command.h"
#include "cli/options/command_parser.h"
#include "cli/options/terminal.h"
#include "replay/engine_module.h"

namespace prescope::cli {
namespace {

struct Command {
  std::string_view name;
  void (*add_to)(ProgramParser& program);
};

/// Only lists the command: `run` starts it before the program's own options are parsed.
void add_trec_eval_command(ProgramParser& program) {
  program.add_command(kTrecEval, "Print what trec_eval 10 prints, for the options it has.");
}

/// In the order of the help.
constexpr std::array kCommands = {
    Command{"evaluate", add_evaluate_command}, Command{"compare", add_compare_command},
    Command{"study", add_study_commands},      Command{"explain", add_explain_command},
    Command{"convert", add_convert_command},   Command{kTrecEval, add_trec_eval_command},
    Command{"index", add_index_command},       Command{"replay", add_replay_command},
    Command{"log", add_log_command},           Command{"pin", add_pin_command},
    Command{"gate", add_gate_command},         Command{"history", add_history_command},
    Command{"serve", add_serve_command},       Command{"prune", add_prune_command}};

std::string examples() {
  return fmt::format(
      "Examples:\n"
      "  prescope evaluate qrels.txt bm25.run tfidf.run.gz -m PRES@100,R@100,AP\n"
      "  prescope compare qrels.txt old.run new.run --html comparison.html\n"
      "  prescope index --engine {} --out index patents.jsonl.gz\n"
      "  prescope replay experiment.toml --json result.json\n"
      "  prescope gate nights.db --from experiment.toml --junit gate.xml\n\n"
      "'prescope COMMAND --help' describes a command.",
      example_engine());
}

/// Parses the command line and runs the command it names. Returns the exit code; throws
/// prescope::Error for what the command refuses.
int run(int argc, char** argv) {
  const std::string_view first_word = argc > 1 ? argv[1] : "";
  if (first_word == kTrecEval) return run_trec_eval(argc - 1, argv + 1);
  ProgramParser program(
      {.name = "prescope",
       .description = "PRES, Recall, MAP and more: of run files, and of a search engine under "
                      "each ranking configuration.",
       .version = "prescope " PRESCOPE_VERSION,
       .footer = examples});
  // Only the named command is added, because adding the options of all commands takes a
  // millisecond.
  const auto* const named = std::ranges::find(kCommands, first_word, &Command::name);
  for (const Command& command : kCommands) {
    if (named == kCommands.end() || &command == named) command.add_to(program);
  }
  return program.run(argc, argv);
}

}  // namespace
}  // namespace prescope::cli

int main(int argc, char** argv) {
  // Writing to a closed pipe is an error to report, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return prescope::cli::run(argc, argv);
  } catch (const prescope::cli::ReaderGone&) {
    return 0;
  } catch (const std::exception& error) {
    prescope::cli::print_error(error.what());
    return 2;
  }
}
