#pragma once

#include <optional>
#include <vector>

namespace prescope::benchmarks {

[[nodiscard]] double median(std::vector<double> values);

/// What matching a ranking of 1000 docids in memory with six relevant documents, four of them among
/// the hits, and scoring PRES, R and AP takes for each hit: the median of many passes over 1000
/// rankings. Nothing where the answers are not those of the plain way.
[[nodiscard]] std::optional<double> nanoseconds_a_hit();

}  // namespace prescope::benchmarks
