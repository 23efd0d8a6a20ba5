#pragma once

#include <string>

#include "cli/replay_options.h"
#include "core/evaluation_record.h"

namespace prescope::cli {

/// Replays the one arm of `options` and keeps the facts: `file` is what the experiment is called in
/// them. Says on stderr which topics were not run. Throws as `replay`.
[[nodiscard]] EvaluationRecord record_of_replay(const ReplayOptions& options,
                                                const std::string& file);

}  // namespace prescope::cli
