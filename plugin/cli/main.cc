#include <exception>

#include "cli/command_line.h"
#include "cli/terminal.h"

int main(int argc, char** argv) {
  try {
    return prescope::cli::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    prescope::cli::print_error(error.what());
    return prescope::cli::kExitBadInput;
  }
}
