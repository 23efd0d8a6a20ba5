#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nightly/evaluation_record.h"
#include "nightly/gate/gate_rules.h"

namespace prescope {

/// Reads the rules of a gate (TOML; `docs/gate.md` explains each key). What the file does not name
/// has its default. Throws Error: kIo (cannot be read), kBadInput (no TOML), kUsage with a line
/// `file:line: ...` for each problem: unknown keys, with the nearest; wrong types; values out of
/// their range; measures that cannot decide.
[[nodiscard]] GateRules read_gate_rules(const std::filesystem::path& path);

/// The rules as such a file, every key with what it means; reading it gives the same rules.
[[nodiscard]] std::string gate_rules_toml(const GateRules& rules);

/// The citations of a qrels file that the evaluation must go on finding, as the evaluation spells
/// them; documents that the file judges not relevant are left out. Docnos are matched under the
/// evaluation's policy, for kFamily with `family_map`. Throws as Qrels::load, and Error(kBadInput)
/// naming the first few citations that the evaluation did not find, and how many there are.
[[nodiscard]] std::vector<MustFind> load_must_find(const std::filesystem::path& path,
                                                   const std::filesystem::path& family_map,
                                                   const EvaluationRecord& evaluation);

}  // namespace prescope
