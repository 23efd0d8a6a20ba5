#pragma once

#include <filesystem>
#include <string>

#include "core/gate/gate_rules.h"

namespace prescope::cli {

/// Reads the rules of a gate (TOML; `docs/gate.md` explains each key). What the file does not name
/// has its default. Throws Error: kIo (cannot be read), kBadInput (no TOML), kUsage with a line
/// `file:line: ...` for each problem: unknown keys, with the nearest; wrong types; values out of
/// their range; measures that cannot decide.
[[nodiscard]] GateRules read_gate_rules(const std::filesystem::path& path);

/// The rules as such a file, every key with what it means; reading it gives the same rules.
[[nodiscard]] std::string gate_rules_toml(const GateRules& rules);

}  // namespace prescope::cli
