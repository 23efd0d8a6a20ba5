#pragma once

#include <filesystem>
#include <vector>

#include "core/evaluation_record.h"
#include "core/gate/gate_rules.h"

namespace prescope::cli {

/// The citations of a qrels file that the evaluation must go on finding, as the evaluation spells
/// them; documents that the file judges not relevant are left out. Docnos are matched under the
/// evaluation's policy, for kFamily with `family_map`. Throws as Qrels::load, and Error(kBadInput)
/// naming the first few citations that the evaluation did not find, and how many there are.
[[nodiscard]] std::vector<MustFind> load_must_find(const std::filesystem::path& path,
                                                   const std::filesystem::path& family_map,
                                                   const EvaluationRecord& evaluation);

}  // namespace prescope::cli
