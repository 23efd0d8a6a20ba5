#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/engine.h"

namespace prescope::cli {

/// Whether an `--engine` is a module's path and not an engine's name: it has a '/' or ends in
/// ".so".
[[nodiscard]] bool is_module_path(std::string_view engine) noexcept;

/// Folders in which modules are looked for, in order: those of PRESCOPE_ENGINE_PATH (separated by
/// ':'), then the one that belongs to this installation.
[[nodiscard]] std::vector<std::filesystem::path> engine_folders();

/// Names of the engines whose modules are in those folders, ascending.
[[nodiscard]] std::vector<std::string> engines_found();
/// One of them for the examples of help texts; NAME where there is none.
[[nodiscard]] std::string example_engine();

/// The engine of this name (module file `prescope-engine-NAME.so`) or of the module at this path.
/// The module stays loaded until the process ends. Throws Error(kUsage) where there is none, naming
/// the folders and the nearest engine; Error(kEngine) where the file is no module for this program.
[[nodiscard]] Engine& load_engine(const std::string& name_or_path);

}  // namespace prescope::cli
