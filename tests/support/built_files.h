#pragma once

#include <filesystem>
#include <string>

namespace prescope::testing {

/// The program that runs this.
inline std::filesystem::path own_program() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

/// The folder of this test program, which is that of all programs of the build. Tests ask for it
/// instead of being compiled with it, so that one object fits every build.
inline std::filesystem::path bin_folder() { return own_program().parent_path(); }

inline std::string prescope_program() { return bin_folder() / "prescope"; }

/// Where the engine modules are that only tests use.
inline std::string test_modules() {
  return bin_folder().parent_path() / "tests" / "support" / "modules";
}

}  // namespace prescope::testing
