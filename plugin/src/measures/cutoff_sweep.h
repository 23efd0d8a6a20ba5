#pragma once

#include "prescope/measure.h"

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

/// Returns every measure at every cutoff, as in figure 8 of Magdy & Jones, SIGIR 2010, in one pass
/// over each topic's ranks. `cutoffs` ascend. The means equal those of PRES@N, R@N and AP@N, summed
/// in the order of the topics, bit for bit. O(cutoffs x topics + ranks).
[[nodiscard]] std::vector<SweepPoint> cutoff_sweep(std::span<const SweepTopic> topics,
                                                   std::span<const Cutoff> cutoffs);

/// Returns about `count` cutoffs for a plot, ascending up to `depth`: 1, 2 and 5 times powers of
/// 10, and others at even steps.
[[nodiscard]] std::vector<Cutoff> cutoffs_up_to(std::uint32_t depth, std::size_t count);

}  // namespace prescope
