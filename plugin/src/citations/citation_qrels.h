#pragma once

#include <span>

#include "prescope/qrels.h"

namespace prescope {

/// Returns whether a file is a citation store, by its first bytes; false if it cannot be read.
[[nodiscard]] bool is_citation_store(const std::filesystem::path& path);

/// Returns the ids of topics in the first column of run files, each once. Throws Error(kUsage) for
/// standard input, which cannot be read a second time; Error(kIo).
[[nodiscard]] std::vector<std::string> topics_of_runs(std::span<const std::string> paths);

}  // namespace prescope
