#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "prescope/measure.h"

/// The measure families. To add one: its file beside this one, its name here and in the table of
/// `measure.cc`.
namespace prescope {

extern const MeasureDefinition kAveragePrecision;
extern const MeasureDefinition kBinaryPreference;
extern const MeasureDefinition kFApRecall;
extern const MeasureDefinition kFMeasure;
extern const MeasureDefinition kGeometricMap;
extern const MeasureDefinition kInferredAp;
extern const MeasureDefinition kJudgedShare;
extern const MeasureDefinition kNormalizedDiscountedGain;
extern const MeasureDefinition kPrecision;
extern const MeasureDefinition kPres;
extern const MeasureDefinition kPresEst;
extern const MeasureDefinition kRNorm;
extern const MeasureDefinition kRPrecision;
extern const MeasureDefinition kRankBiasedPrecision;
extern const MeasureDefinition kRecall;
extern const MeasureDefinition kReciprocalRank;
extern const MeasureDefinition kSuccess;

/// The last rank that a measure reads: its cutoff, or the end of any ranking where it has none.
[[nodiscard]] inline Rank last_rank(const Measure& measure) noexcept {
  return measure.cutoff() ? measure.cutoff()->value() : std::numeric_limits<Rank>::max();
}

/// How many of the ascending ranks are not behind `last`.
[[nodiscard]] inline std::size_t count_until(std::span<const Rank> ranks, Rank last) noexcept {
  return static_cast<std::size_t>(std::ranges::upper_bound(ranks, last) - ranks.begin());
}

/// The ranks of the relevant documents that a measure reads, ascending.
[[nodiscard]] inline std::span<const Rank> read_ranks(const Measure& measure,
                                                      const JudgedRanks& ranks) noexcept {
  return ranks.relevant.first(count_until(ranks.relevant, last_rank(measure)));
}

}  // namespace prescope
