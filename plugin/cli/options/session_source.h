#pragma once

#include <optional>
#include <string>

#include "prescope/summary.h"

namespace prescope::cli {

/// A session of an experiment, in a store, or all servers of a fleet.
struct SessionSource {
  std::string store{};                      ///< a file, or a fleet: clickhouse://...
  std::optional<std::string> experiment{};  ///< of the newest session; nothing: any
  std::optional<std::int64_t> session{};    ///< nothing: the newest; has no meaning for a fleet
};

/// Returns the session's summary, made anew from its observations. Throws Error.
[[nodiscard]] Summary session_summary(const SessionSource& source);

}  // namespace prescope::cli
