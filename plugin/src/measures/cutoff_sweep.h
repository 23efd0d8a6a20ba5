#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prescope/measure.h"
#include "prescope/types.h"

namespace prescope {

/// Means over topics of PRES, Recall and AP at one cutoff.
struct SweepPoint {
  Cutoff cutoff;
  Mean pres{}, recall{}, average_precision{};
};

/// One topic as it was served.
struct SweepTopic {
  std::uint32_t num_rel = 0;               ///< 0: left out
  std::span<const Rank> relevant_ranks{};  ///< ascending, from 1
};

/// Every measure at every cutoff, as figure 8 of Magdy & Jones, SIGIR 2010, has it: one pass over
/// each topic's ranks. `cutoffs` ascending. Bit for bit the means of PRES@N, R@N and AP@N summed in
/// the order of the topics. O(cutoffs x topics + ranks).
[[nodiscard]] std::vector<SweepPoint> cutoff_sweep(std::span<const SweepTopic> topics,
                                                   std::span<const Cutoff> cutoffs);

/// Cutoffs for a plot up to `depth`: 1, 2, 5 times powers of 10 and what lies evenly between them,
/// about `count` of them, ascending, `depth` the last.
[[nodiscard]] std::vector<Cutoff> cutoffs_up_to(std::uint32_t depth, std::size_t count);

}  // namespace prescope
