#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "live/ledger/ledger.h"
#include "live/summary/summarize.h"
#include "prescope/measure.h"
#include "prescope/summary.h"

namespace prescope {

/// The measure by which topics are said to have moved: the first PRES of the experiment.
[[nodiscard]] std::optional<std::size_t> moving_measure(std::span<const Measure> measures);

/// Of the ranking that was served last, where it reaches the measure's cutoff; the measure has one,
/// the arm is not removed.
[[nodiscard]] std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                               std::size_t measure);

/// Nothing for a topic that the qrels do not have; `arms` those of the ledger. No differences
/// without a PRES among the measures, and in Mode::kSplit, where each topic is of one arm.
/// O(judgements of the topic x pairs of arms).
[[nodiscard]] std::optional<TopicDetail> topic_detail(const Ledger& ledger,
                                                      std::span<const ArmFacts> arms,
                                                      const TopicId& id);

}  // namespace prescope
