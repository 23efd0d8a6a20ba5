#pragma once

#include "prescope/summary.h"

namespace prescope::testing {

/// Observed traffic made by hand: two arms, three topics of four, one topic moved by two citations.
[[nodiscard]] Summary example_summary();

/// The same summary as a live one of 400 topics, pairs of searches, in its third epoch: PRES, the
/// primary measure, is confirmed; some of bm25's queries failed.
[[nodiscard]] Summary live_summary();

/// The same as split traffic, whose coin is not fair.
[[nodiscard]] Summary split_summary();

/// The same as observed traffic.
[[nodiscard]] Summary observed_summary();

}  // namespace prescope::testing
