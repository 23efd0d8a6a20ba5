#pragma once

#include <optional>
#include <span>
#include <vector>

#include "statistics/evidence.h"
#include "statistics/group_sequential.h"

namespace prescope {

/// What a look of a planned test sees.
struct LookResult {
  double mean = 0.0;
  double z = 0.0;  ///< Student's t on the scale of the normal distribution; at most 37 either way
  double low = 0.0, high = 0.0;  ///< the mean, and what the boundary leaves on either side
};

/// Looks at the values of the topics so far. `boundary`: the c of GroupSequential. `null_mean`: the
/// mean against which z is. Returns std::nullopt for fewer than two topics, and if all values are
/// equal, which t cannot judge.
[[nodiscard]] std::optional<LookResult> look_at(const TopicSums& sums, double boundary,
                                                double null_mean = 0.0);

/// Returns the least number of further values of 1, or of -1 if the mean is above 0, that bring |z|
/// below the boundary; 0 if it is below now.
[[nodiscard]] std::uint32_t topics_to_undo_look(const TopicSums& sums, double boundary);

/// Returns the boundaries of GroupSequential, which takes milliseconds to compute the first time.
/// Any thread. Throws as GroupSequential.
[[nodiscard]] std::vector<double> planned_boundaries(std::span<const double> information,
                                                     double alpha, Spending spending);

}  // namespace prescope
