#pragma once

#include <string>

#include "serve/http/handler.h"

namespace prescope::serve {

/// What a server has answered and refused, in the text format of `metrics_text`, to be put behind
/// it. Thread-safe.
[[nodiscard]] std::string server_metrics_text(const ServerCounters& counters);

}  // namespace prescope::serve
