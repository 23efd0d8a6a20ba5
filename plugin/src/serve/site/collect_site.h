#pragma once

#include "collect/collector.h"
#include "serve/http/handler.h"

namespace prescope::serve {

/// Bytes and lines of a body; a longer one is answered with status 413.
inline constexpr std::size_t kLongestBody = std::size_t{16} << 20U;
inline constexpr std::size_t kLongestLogs = std::size_t{4} << 20U;
inline constexpr std::size_t kMostLines = 50'000;

/// Returns the site of a collector's experiment, which also takes rankings (`POST /v1/rankings`,
/// and `POST /v1/logs` as OTLP/HTTP has it), assigns arms (`GET /v1/assign`) and counts lines (`GET
/// /v1/counts`), see `docs/collect.md`. `collector` must outlive it.
[[nodiscard]] std::unique_ptr<Handler> collect_site(Collector& collector);

}  // namespace prescope::serve
