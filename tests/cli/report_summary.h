#pragma once

#include "prescope/summary.h"

namespace prescope::testing {

/// A summary made by hand: two arms, three topics of four, one topic moved by two citations.
[[nodiscard]] Summary example_summary();

}  // namespace prescope::testing
