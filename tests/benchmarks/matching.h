#pragma once

#include <optional>
#include <vector>

namespace prescope::benchmarks {

[[nodiscard]] double median(std::vector<double> values);

/// Returns the time for each hit of matching a ranking in memory and scoring PRES, R and AP: the
/// median of many passes over 1000 rankings. Each has 1000 docids and six relevant documents, four
/// of them among the hits. Returns std::nullopt if an answer differs from the plain computation.
[[nodiscard]] std::optional<double> nanoseconds_a_hit();

}  // namespace prescope::benchmarks
