#pragma once

#include <filesystem>

#include "cli/problems.h"
#include "cli/raw_options.h"

namespace prescope::cli {

/// Reads an experiment file (TOML; `examples/quickstart/replay.toml` explains each key). Adds
/// unknown keys and wrong types to `problems`. Throws Error(kIo) where it cannot be read,
/// Error(kBadInput) with `file:line` where it is no TOML.
[[nodiscard]] RawOptions read_experiment_file(const std::filesystem::path& path,
                                              Problems& problems);

}  // namespace prescope::cli
