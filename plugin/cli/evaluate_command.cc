#include "cli/commands.h"

namespace prescope::cli {

Command add_evaluate_command(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("evaluate", "");
  return {parser, [] {}};
}

}  // namespace prescope::cli
