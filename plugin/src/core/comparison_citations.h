#pragma once

#include <cstddef>

#include "core/comparison.h"

namespace prescope {

struct ScoredPair {
  ScoredRun a{}, b{};
};

/// Fills `citations` and `moved` of `comparison` by its `moving`-th measure, which has credits.
void compare_citations(const Qrels& qrels, const ScoredPair& pair, const CompareOptions& options,
                       std::size_t moving, RunComparison& comparison);

}  // namespace prescope
