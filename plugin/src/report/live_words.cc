#include "report/live_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/statistics/live_verdict.h"
#include "report/number_text.h"

namespace prescope {

std::optional<double> live_half_width(const LiveVerdict& live, std::optional<double> mean) {
  if (!mean || (live.low <= -1.0 && live.high >= 1.0)) return std::nullopt;
  // One of the two ends may have been cut off at the end of the range.
  return std::max(*mean - live.low, live.high - *mean);
}

std::string live_state_text(const LiveVerdict& live, std::uint32_t topics,
                            std::optional<double> mean, const ArmNames& names) {
  const std::string& ahead = mean.value_or(0.0) > 0.0 ? names.b : names.a;
  switch (live.state) {
    case LiveState::kCollecting:
      return fmt::format("collecting ({} of {} topics)", topics, kFewestTopics);
    case LiveState::kNoVerdict: {
      const std::optional<double> half_width = live_half_width(live, mean);
      return half_width ? fmt::format("no verdict yet (±{})", score_text(half_width))
                        : "no verdict yet";
    }
    case LiveState::kLeading:
      return ahead + " leading";
    case LiveState::kConfirmed:
      return ahead + " confirmed better";
  }
  return {};
}

}  // namespace prescope
