#include "cli/commands.h"

namespace prescope::cli {

Command add_convert_command(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("convert", "");
  return {parser, [] {}};
}

}  // namespace prescope::cli
