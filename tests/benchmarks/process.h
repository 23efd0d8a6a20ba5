#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prescope::benchmarks {

/// Resources that a program used from its start to its end.
struct Taken {
  double seconds = 0.0;
  long peak_kilobytes = 0;
  int exit_code = -1;
};

/// Runs a program found on PATH, stdin empty, stdout into `out`, stderr into `out` with ".err".
[[nodiscard]] Taken run(const std::vector<std::string>& command, const std::filesystem::path& out);

/// Returns the output of a shell command without the last line feed; empty if the command fails.
[[nodiscard]] std::string output_of(const std::string& shell_command);

}  // namespace prescope::benchmarks
