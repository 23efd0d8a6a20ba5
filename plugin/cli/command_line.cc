#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/engine_module.h"

namespace prescope::cli {
namespace {

/// For the list of commands: it is run before any of these is started.
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

/// The command that the first word names, alone, because the options of all commands take a
/// millisecond; all commands where it names none.
void add_commands(ProgramParser& program, std::string_view first_word) {
  const auto* const named = std::ranges::find(kCommands, first_word, &Command::name);
  for (const Command& command : kCommands) {
    if (named == kCommands.end() || &command == named) command.add_to(program);
  }
}

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

}  // namespace

int run_command_line(int argc, char** argv) {
  ProgramParser::Words words = program_words();
  words.footer = examples;
  ProgramParser program(words);
  add_commands(program, argc > 1 ? argv[1] : "");
  return program.run(argc, argv);
}

}  // namespace prescope::cli
