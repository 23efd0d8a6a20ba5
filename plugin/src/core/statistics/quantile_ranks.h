#pragma once

#include <cstdint>

namespace prescope {

/// Order statistics, from 1, between which a quantile lies. `low` 0: nothing bounds it from below;
/// `high` > n: there are too few values to bound it from above.
struct QuantileRanks {
  std::uint64_t low = 0, high = 0;
};

/// For a number of values `n` >= 1 that was fixed beforehand; `q`, `alpha` in (0, 1).
[[nodiscard]] QuantileRanks quantile_ranks(std::uint64_t n, double q, double alpha = 0.05);

/// The same, valid while somebody looks after every value.
[[nodiscard]] QuantileRanks quantile_ranks_always(std::uint64_t n, double q, double alpha = 0.05);

}  // namespace prescope
