#pragma once

#pragma GCC visibility push(default)
namespace prescope {

/// Runs the program `prescope` with the arguments of its main(), and returns its exit code. Reads
/// and writes the standard streams and ignores SIGPIPE and SIGXFSZ, so it is not for hosts. The
/// program is this one call: its commands use private functions, which the library does not export.
int program_main(int argc, char** argv);

}  // namespace prescope
#pragma GCC visibility pop
