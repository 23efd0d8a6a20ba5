#pragma once

#include "prescope/dashboard.h"

namespace prescope::serve {

/// Throws Error(kUsage) naming every bad option at once.
void check(const DashboardOptions& options);

/// Whether others than this machine's users can reach it. Of options that were checked.
[[nodiscard]] bool is_exposed(const DashboardOptions& options);

}  // namespace prescope::serve
