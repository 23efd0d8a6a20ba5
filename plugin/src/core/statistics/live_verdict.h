#pragma once

#include <cstdint>
#include <span>

#include "core/statistics/confidence_sequence.h"
#include "prescope/experiment_options.h"
#include "prescope/summary.h"

namespace prescope {

/// What a statement about two arms is made with; fixed before the data.
struct LiveStatement {
  double alpha = 0.05;      ///< its share of the chance of ever being wrong, (0, 1)
  double b_squared = 0.25;  ///< see ConfidenceSequence
  double scale = 1.0;       ///< the difference of the arms is this many times the mean value
};

/// Topics below which no state but "collecting" is given.
inline constexpr std::uint64_t kFewestTopics = 10;

enum class BaselineScores { kNone, kKnown };
/// For differences of scores. Split traffic is a statement about half the difference.
[[nodiscard]] LiveStatement score_statement(Mode mode, BaselineScores baseline,
                                            double alpha) noexcept;
/// For mean logarithms of latency ratios.
[[nodiscard]] ConfidenceSequence log_latency_sequence(double alpha) noexcept;

/// `values` in [-1, 1], one for each topic, in any order; `sums` are theirs. O(values).
[[nodiscard]] LiveVerdict live_verdict(const TopicSums& sums, std::span<const double> values,
                                       const LiveStatement& statement) noexcept;

}  // namespace prescope
