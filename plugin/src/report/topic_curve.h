#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "prescope/types.h"

namespace prescope {

/// What PRES at a cutoff is computed from.
struct TopicCurve {
  std::uint32_t num_rel = 0;      ///< n, at least 1
  std::uint32_t cutoff = 0;       ///< N, at least 1
  std::span<const Rank> found{};  ///< ranks up to the cutoff, ascending
};

/// Relevant documents found over rank, as in figure 3 of Magdy & Jones, SIGIR 2010: from the best
/// case, in which all n stand at the top, to the worst, in which they stand just behind N. The area
/// between the actual and the worst curve, in full blocks, is PRES times the area between best and
/// worst. Lines of at most `width` columns, at least 40, each ended; UTF-8.
[[nodiscard]] std::string draw_topic_curve(const TopicCurve& curve, std::size_t width);

}  // namespace prescope
