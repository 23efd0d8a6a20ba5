#pragma once

#include <span>
#include <string>

namespace prescope::cli {

/// What `prescope trec_eval -h` prints, and what the measures asked for mean. Throws Error(kUsage)
/// for an unknown one.
[[nodiscard]] std::string trec_eval_help(std::span<const std::string> measures);

}  // namespace prescope::cli
