#include <csignal>
#include <exception>

#include "cli/command_line.h"
#include "cli/terminal.h"

int main(int argc, char** argv) {
  // A reader of stdout that has gone is an error of writing, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return prescope::cli::run_command_line(argc, argv);
  } catch (const prescope::cli::ReaderGone&) {
    return prescope::cli::kExitOk;
  } catch (const std::exception& error) {
    prescope::cli::print_error(error.what());
    return prescope::cli::kExitBadInput;
  }
}
