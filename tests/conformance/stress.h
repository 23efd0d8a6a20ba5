#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "prescope/qrels.h"

namespace prescope::conformance {

/// Duration of stress tests: PRESCOPE_STRESS_SECONDS of the environment, or 3.
[[nodiscard]] inline std::chrono::seconds stress_time() {
  const char* const asked = std::getenv("PRESCOPE_STRESS_SECONDS");
  return std::chrono::seconds(asked == nullptr ? 3 : std::atoi(asked));
}

/// Returns judgements of patents by number: T1 cites every third one, T2 every fifth.
[[nodiscard]] inline Qrels judged_everywhere(std::uint32_t patents) {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t number = 0; number < patents; ++number) {
    const Docno docno{"EP" + std::to_string(number)};
    if (number % 3 == 0) lines.push_back({TopicId{"T1"}, docno, 1});
    if (number % 5 == 0) lines.push_back({TopicId{"T2"}, docno, 1});
  }
  return Qrels::from_lines(lines, {.docno = DocnoPolicy::kPatent});
}

}  // namespace prescope::conformance
