#pragma once

#include <span>
#include <string>
#include <vector>

namespace prescope::cli {

/// What runs are called in results: the file's name without folder and endings such as `.run` or
/// `.res.gz`, "stdin" for `-`; the path as given where others would be called the same.
[[nodiscard]] std::vector<std::string> run_names(std::span<const std::string> paths);

}  // namespace prescope::cli
