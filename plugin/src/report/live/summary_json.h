#pragma once

#include <string_view>

#include "prescope/summary.h"
#include "report/text/json.h"

/// What `to_json` of a summary prints, and its parts; docs/replay-json.md names every key.
namespace prescope {

/// "observe", "paired", "split".
[[nodiscard]] std::string_view name_of(Mode mode) noexcept;
[[nodiscard]] Json summary_json(const Summary& summary);
[[nodiscard]] Json arm_json(const ArmSummary& arm);
[[nodiscard]] Json live_json(const LiveVerdict& live);
[[nodiscard]] Json pair_json(const Summary& summary, const ArmPair& pair);

}  // namespace prescope
