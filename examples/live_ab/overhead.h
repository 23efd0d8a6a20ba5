#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "prescope/experiment.h"
#include "search_server.h"
#include "traffic.h"

namespace live_ab {

/// Geometric mean over pairs of blocks, with its 95 % paired t interval on the log scale.
struct BlockRatio {
  double mean = 1.0, low = 0.0, high = 0.0;
};

/// Cost of observing: blocks with the plugin against blocks without, over the same queries.
struct Overhead {
  std::uint32_t pairs = 0;  ///< of blocks
  std::uint64_t queries_a_block = 0;
  double hits_a_ranking = 0.0;  ///< mean, of 1000 asked for
  BlockRatio throughput, p99;   ///< with / without
  /// Time of a query in prescope, the scope included, by a clock around the calls: medians.
  std::optional<double> judged_us, unjudged_us;
};

struct OverheadPlan {
  std::uint32_t threads = 1;
  double seconds = 10.0;  ///< of all blocks together; never fewer than five pairs
  std::uint64_t seed = 1;
};

/// Measures on one snapshot, whose index does not change meanwhile. Each pair of blocks asks the
/// same queries, with and without prescope in random order. Ends early, after two pairs, when
/// `goes_on` returns false.
[[nodiscard]] Overhead measure_overhead(const Snapshot& snapshot, prescope::Experiment& experiment,
                                        const Traffic& traffic, const OverheadPlan& plan,
                                        const std::function<bool()>& goes_on);

}  // namespace live_ab
