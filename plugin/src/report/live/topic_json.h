#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "prescope/measure.h"
#include "prescope/summary.h"
#include "prescope/types.h"

namespace prescope {

/// What the numbers of a TopicDetail name.
struct TopicNames {
  std::span<const ArmId> arms{};        ///< in the order of Summary::arms; as many or more
  std::span<const Measure> measures{};  ///< in the order of Summary::measures
};

/// One object in one line: `docs/http-json.md`, section "A topic".
[[nodiscard]] std::string topic_json(const TopicDetail& topic, const TopicNames& names);

/// PRES, Recall and MAP of the rankings served last, at about `count` cutoffs up to the depth that
/// the deepest arm is known to: one object in one line, `docs/http-json.md`, section "A sweep".
/// `every_topic`: SummaryDetail::kEveryTopic.
[[nodiscard]] std::string sweep_json(const Summary& every_topic, std::size_t count);

}  // namespace prescope
