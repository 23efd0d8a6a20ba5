#pragma once

namespace prescope::cli {

inline constexpr int kExitOk = 0;
/// Bad input or usage.
inline constexpr int kExitBadInput = 2;

/// Parses the command line and runs the command it names. Returns the exit code; throws
/// prescope::Error for what the command refuses.
int run_command_line(int argc, char** argv);

}  // namespace prescope::cli
