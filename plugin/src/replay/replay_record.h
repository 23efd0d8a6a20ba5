#pragma once

#include <string>

#include "nightly/evaluation_record.h"
#include "replay/replay.h"
#include "replay/replay_options.h"

namespace prescope {

/// Replays the one arm of `options` and keeps the facts. `file` names the experiment in the record;
/// `watch` must not ask for observations. Throws as `replay`.
[[nodiscard]] EvaluationRecord record_of_replay(const ReplayOptions& options,
                                                const std::string& file, ReplayWatch watch = {});

}  // namespace prescope
