#include "cli/commands.h"

namespace prescope::cli {

Command add_compare_command(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("compare", "");
  return {parser, [] {}};
}

}  // namespace prescope::cli
