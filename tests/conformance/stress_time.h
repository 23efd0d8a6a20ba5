#pragma once

#include <chrono>
#include <cstdlib>

namespace prescope::conformance {

/// Duration of stress tests: PRESCOPE_STRESS_SECONDS of the environment, or 3.
[[nodiscard]] inline std::chrono::seconds stress_time() {
  const char* const asked = std::getenv("PRESCOPE_STRESS_SECONDS");
  return std::chrono::seconds(asked == nullptr ? 3 : std::atoi(asked));
}

}  // namespace prescope::conformance
