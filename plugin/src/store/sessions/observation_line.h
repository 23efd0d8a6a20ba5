#pragma once

#include "store/sessions/observation_reader.h"

namespace prescope {

/// Returns the names of the flags that are set, in the order of their bits.
[[nodiscard]] std::vector<std::string_view> flag_names(RankingFlags flags);

/// Returns milliseconds; std::nullopt if the latency is unknown.
[[nodiscard]] std::optional<double> latency_ms(const Observation& observation) noexcept;

/// Returns the docnos of the relevant documents served, best rank first; empty for an unjudged
/// query.
[[nodiscard]] std::vector<std::string_view> relevant_docnos(const StoredObservation& one);

/// Appends one JSON object and a line feed; `docs/logs.md` has its keys. `scores` are those of this
/// observation, null for an unjudged query.
void append_json_line(std::string& out, const StoredObservation& one,
                      const ObservationScores* scores);

}  // namespace prescope
