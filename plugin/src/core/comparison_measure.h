#pragma once

#include <cstddef>

#include "core/comparison.h"

namespace prescope {

/// The `measure`-th measure of two evaluations that have the same measures: everything but
/// `corrected` and `verdict`, which depend on the other comparisons.
[[nodiscard]] MeasureComparison compare_measure(const Evaluation& a, const Evaluation& b,
                                                std::size_t measure, const CompareOptions& options);

/// Of a comparison that has its `corrected`.
[[nodiscard]] Verdict verdict_of(const MeasureComparison& comparison, double alpha);

}  // namespace prescope
