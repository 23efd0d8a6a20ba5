#pragma once

#include <filesystem>
#include <string>

#include "base/toml_file.h"
#include "replay/replay_options.h"

namespace prescope {

/// What decides an arm's rankings, but for the index: engine, what topics leave out, and the arm's
/// settings, as keys of an experiment file. Keys ascend; reading it back gives the same settings.
[[nodiscard]] std::string arm_toml(const ReplayOptions& options, const ReplayArm& arm);

/// Reads an experiment file (TOML; `examples/quickstart/replay.toml` explains each key). Adds
/// unknown keys and wrong types to `problems`. Throws Error(kIo) where it cannot be read,
/// Error(kBadInput) with `file:line` where it is no TOML.
[[nodiscard]] RawOptions read_experiment_file(const std::filesystem::path& path,
                                              OptionProblems& problems);

/// Puts what flags say over what the file says. Adds wrong ones to `problems`.
void override_options(const ReplayFlags& flags, RawOptions& raw, OptionProblems& problems);

}  // namespace prescope
