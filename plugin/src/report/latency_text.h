#pragma once

#include <string>

#include "prescope/summary.h"

namespace prescope {

/// 12.3, "failed" where the order statistic is a query without end, "-" without queries.
[[nodiscard]] std::string quantile_text(const LatencyQuantile& quantile);
/// [11.2, 13.5], "[11.2, failed]", ">= 11.2" or "<= 13.5" where one side is open, "-" where both
/// are.
[[nodiscard]] std::string quantile_interval_text(const LatencyQuantile& quantile);

}  // namespace prescope
