#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "prescope/summary.h"

namespace prescope {

/// Of the two arms of a pair.
struct ArmNames {
  const std::string& a;
  const std::string& b;
};

/// Half of the confidence sequence around a difference; nothing while it is unbounded.
[[nodiscard]] std::optional<double> live_half_width(const LiveVerdict& live,
                                                    std::optional<double> mean);

/// "collecting (7 of 10 topics)", "no verdict yet (±0.0123)", "bm25 leading", "bm25 confirmed
/// better". `mean` of B less A says which arm.
[[nodiscard]] std::string live_state_text(const LiveVerdict& live, std::uint32_t topics,
                                          std::optional<double> mean, const ArmNames& names);

}  // namespace prescope
