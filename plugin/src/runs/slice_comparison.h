#pragma once

#include "prescope/slices.h"
#include "statistics/effect_size.h"

namespace prescope {

/// The verdict on one slice. All slices share one alpha (Holm), apart from the overall verdict. The
/// bets of TopicEvidence must also have won tenfold, so that rare losses do not turn a verdict.
enum class SliceVerdict {
  /// Fewer than kUnitsThatSpeak, fewer than kDifferentThatSpeak that differ, or several small
  /// slices together.
  kTooFew,
  kNotShown,     ///< the corrected p-value is above alpha
  kNotRuledOut,  ///< the p-value is low enough, but a rare large loss would turn the mean
  kBetter,
  kWorse,
};

/// "too_few", "not_shown", "not_ruled_out", "better", "worse"
[[nodiscard]] std::string_view to_string(SliceVerdict verdict) noexcept;

/// One slice in a comparison of B with A by one measure. The units are topics, or families.
struct SliceDifference {
  std::string dimension{}, name{};
  std::uint32_t slices = 1;  ///< above 1 for small slices taken together
  std::uint32_t units = 0, topics = 0;
  std::optional<double> mean_a{}, mean_b{};
  std::optional<PairedT> t{};          ///< none for fewer than 2 units, as all below
  std::optional<double> corrected{};   ///< p of t, over all slices that may speak
  std::optional<double> detectable{};  ///< smallest mean difference that so many units show
  /// Corrected p that the slice differs from the other topics of its dimension; none if there are
  /// no others, or nothing varies.
  std::optional<double> against_rest{};
  SliceVerdict verdict = SliceVerdict::kTooFew;
};

/// A topic's scores in both runs.
struct SlicedTopic {
  TopicIndex topic{};
  FamilyIndex family{};
  double a = 0.0, b = 0.0;
};

/// Returns whether there may be a verdict on a slice with these differences, one for each unit.
[[nodiscard]] bool may_speak(std::span<const double> differences) noexcept;

/// Returns whether bets on these differences have won tenfold against "the mean is -margin or
/// more". Differences in [-1, 1], `margin` in [0, 1). Without them a t test is wrong about many
/// small losses that a rare large gain would turn.
[[nodiscard]] bool bets_win_below(std::span<const double> differences, double margin) noexcept;

/// Compares the slices of each dimension as `folded_slices` returns them. `topics` are ascending.
/// Correction is left to `correct_slices`.
[[nodiscard]] std::vector<SliceDifference> compare_slices(const TopicSlices& slices,
                                                          std::span<const SlicedTopic> topics,
                                                          double confidence,
                                                          const PowerOptions& power);

/// Corrects the p-values of all comparisons together, and sets the verdicts.
void correct_slices(std::span<SliceDifference* const> all, double alpha);

}  // namespace prescope
