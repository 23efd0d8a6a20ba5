#pragma once

#include <string>

#include "prescope/report.h"
#include "replay/replay.h"
#include "replay/replay_options.h"

namespace prescope {

/// The options, then the summary's table.
[[nodiscard]] std::string replay_table(const ReplayOptions& options, const ReplayResult& result,
                                       TableOptions::Color color);

/// Options, engine, index, topics and summary as one JSON object; `docs/replay-json.md` names every
/// key.
[[nodiscard]] std::string replay_json(const ReplayOptions& options, const ReplayResult& result);

/// What a page of the replay shows beside `replay_json`: JSON as docs/http.md has it.
struct ReplayViews {
  std::string sweep;   ///< measures against the cutoff
  std::string topics;  ///< an array, a topic that was run each
};
/// While the experiment is still there.
[[nodiscard]] ReplayViews replay_views(Experiment& experiment);

}  // namespace prescope
