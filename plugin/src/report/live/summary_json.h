#pragma once

#include <string_view>

#include "prescope/summary.h"
#include "report/text/json.h"

/// What `to_json` of a summary prints; docs/replay-json.md names every key.
namespace prescope {

/// "observe", "paired", "split".
[[nodiscard]] std::string_view name_of(Mode mode) noexcept;
[[nodiscard]] Json summary_json(const Summary& summary);

}  // namespace prescope
