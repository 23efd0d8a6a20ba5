#pragma once

#include "prescope/summary.h"

namespace prescope {

/// A summary made by hand in which everything is known that a summary can tell: paired searches of
/// "tfidf" and "bm25", PRES@100 and R@100, three topics, an arm "old" that was removed. No two of
/// its health counters are equal, nor 0.
[[nodiscard]] Summary full_summary();

/// The same as a split of traffic whose coin is not fair.
[[nodiscard]] Summary full_split_summary();

}  // namespace prescope
