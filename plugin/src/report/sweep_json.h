#pragma once

#include <cstddef>
#include <string>

#include "prescope/summary.h"

namespace prescope {

/// PRES, Recall and MAP of the rankings served last, at about `count` cutoffs up to the depth that
/// the deepest arm is known to: one object in one line, `docs/http-json.md`, section "A sweep".
/// `every_topic`: SummaryDetail::kEveryTopic.
[[nodiscard]] std::string sweep_json(const Summary& every_topic, std::size_t count);

}  // namespace prescope
