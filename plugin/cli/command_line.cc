#include "cli/command_line.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/engine_module.h"
#include "cli/trec_eval_command.h"

namespace prescope::cli {
namespace {

constexpr const char* kTrecEval = "trec_eval";

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
  // Its options are trec_eval's, which would be read as the program's otherwise.
  if (argc > 1 && std::string_view(argv[1]) == kTrecEval) return run_trec_eval(argc - 1, argv + 1);
  ProgramParser program({.name = "prescope",
                         .description = "PRES, Recall, MAP and more: of run files, and of a search "
                                        "engine under each ranking configuration.",
                         .version = "prescope " PRESCOPE_VERSION,
                         .footer = examples});
  add_evaluate_command(program);
  add_compare_command(program);
  add_study_commands(program);
  add_explain_command(program);
  add_convert_command(program);
  // For the list of commands.
  program.add_command(kTrecEval, "Print what trec_eval 10 prints, for the options it has.");
  add_index_command(program);
  add_replay_command(program);
  add_log_command(program);
  add_pin_command(program);
  add_gate_command(program);
  add_history_command(program);
  add_serve_command(program);
  add_prune_command(program);
  return program.run(argc, argv);
}

}  // namespace prescope::cli
