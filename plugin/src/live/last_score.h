#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "live/ledger.h"
#include "prescope/measure.h"

namespace prescope {

/// The measure by which topics are said to have moved: the first PRES of the experiment.
[[nodiscard]] std::optional<std::size_t> moving_measure(std::span<const Measure> measures);

/// Of the ranking that was served last, where it reaches the measure's cutoff; the measure has one,
/// the arm is not removed.
[[nodiscard]] std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                               std::size_t measure);

}  // namespace prescope
