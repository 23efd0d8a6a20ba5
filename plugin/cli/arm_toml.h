#pragma once

#include <string>

#include "cli/replay_options.h"

namespace prescope::cli {

/// What decides an arm's rankings, but for the index: engine, what topics leave out, and the arm's
/// settings, as keys of an experiment file. Keys ascend; reading it back gives the same settings.
[[nodiscard]] std::string arm_toml(const ReplayOptions& options, const ReplayArm& arm);

}  // namespace prescope::cli
