#include <csignal>
#include <exception>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/command_line.h"
#include "cli/terminal.h"
#include "core/run_scan/mapped_window.h"

namespace {

/// Memory comes in steps of megabytes and stays, that of the blocks which files are read in among
/// it. In small steps threads that read files wait for each other, because the system gives memory
/// to one of them at a time.
void take_memory_in_large_steps() noexcept {
#ifdef __GLIBC__
  constexpr int kStep = 4 << 20, kKept = 64 << 20, kOfItsOwn = 1 << 20;
  mallopt(M_TOP_PAD, kStep);
  mallopt(M_MMAP_THRESHOLD, kOfItsOwn);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  take_memory_in_large_steps();
  // A reader of stdout that has gone is an error of writing, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  prescope::allow_mapped_files();
  try {
    return prescope::cli::run_command_line(argc, argv);
  } catch (const prescope::cli::ReaderGone&) {
    return prescope::cli::kExitOk;
  } catch (const std::exception& error) {
    prescope::cli::print_error(error.what());
    return prescope::cli::kExitBadInput;
  }
}
