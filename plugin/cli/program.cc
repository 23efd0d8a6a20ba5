#include "prescope/program.h"

#include <csignal>
#include <exception>

#include "cli/commands/commands.h"
#include "cli/options/terminal.h"
#include "replay/engines.h"

namespace prescope::cli {
namespace {

std::string examples() {
  return fmt::format(
      "Examples:\n"
      "  prescope evaluate qrels.txt bm25.run tfidf.run.gz -m PRES@100,R@100,AP\n"
      "  prescope compare qrels.txt old.run new.run --html comparison.html\n"
      "  prescope index --engine {} --out index patents.jsonl.gz\n"
      "  prescope replay experiment.toml --json result.json\n"
      "  prescope gate nights.db --from experiment.toml --junit gate.xml\n\n"
      "'prescope COMMAND --help' describes a command. Tables and text fit the terminal, or the "
      "width "
      "that COLUMNS says.",
      example_engine());
}

/// Parses the command line and runs the command it names. Returns the exit code; throws
/// prescope::Error for what the command refuses.
int run(int argc, char** argv) {
  const std::string_view first_word = argc > 1 ? argv[1] : "";
  // It reads its arguments as trec_eval does; the program only lists it.
  if (first_word == kTrecEval) return run_trec_eval(argc - 1, argv + 1);
  Command program(
      "Score run files, and a search engine under each ranking configuration: PRES, Recall, MAP "
      "and more.",
      "prescope");
  program.set_version_flag("--version", "prescope " PRESCOPE_VERSION);
  program.footer(examples);
  add_evaluate_command(program);
  add_compare_command(program);
  add_plan_command(program);
  add_study_commands(program);
  add_explain_command(program);
  add_convert_command(program);
  add_trec_eval_command(program);
  add_index_command(program);
  add_replay_command(program);
  add_selftest_command(program);
  add_log_command(program);
  add_pin_command(program);
  add_gate_command(program);
  add_history_command(program);
  add_serve_command(program);
  add_collect_command(program);
  add_prune_command(program);
  add_ship_command(program);
  add_fleet_commands(program);
  add_citations_commands(program);
  add_completion_command(program);
  add_man_command(program);
  if (first_word == "__complete") {
    print_completions(program, {argv + 2, argv + argc});
    return 0;
  }
  return program.run(argc, argv);
}

}  // namespace
}  // namespace prescope::cli

int prescope::program_main(int argc, char** argv) {
  // Writing to a closed pipe, or more to a file than the user's limit, is an error to report, not
  // the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  cli::reserve_standard_streams();
  try {
    return cli::exit_code_after_messages(cli::run(argc, argv));
  } catch (const cli::ReaderGone&) {
    return cli::exit_code_after_messages(0);
  } catch (const std::exception& error) {
    cli::print_error(error.what());
    return 2;
  }
}
