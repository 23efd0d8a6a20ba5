#include "runs/slice_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "runs/folded_slices.h"
#include "runs/paired_scores.h"
#include "statistics/evidence.h"

namespace prescope {

namespace {

bool is_tenfold(double log_won) noexcept { return log_won >= std::log(10.0); }

/// Compares the slices of one dimension.
class DimensionComparison {
 public:
  DimensionComparison(const TopicSlices::Dimension& dimension, std::span<const SlicedTopic> topics,
                      double confidence, const PowerOptions& power)
      : dimension_(dimension), topics_(topics), confidence_(confidence), power_(power) {}

  void append_to(std::vector<SliceDifference>& differences) {
    const auto units_of = [&](std::span<const TopicIndex> topics) {
      return static_cast<std::uint32_t>(scores_of(topics).in.differences().size());
    };
    for (const FoldedSlice& slice : folded_slices(dimension_, units_of)) {
      differences.push_back(compared(slice));
    }
  }

 private:
  /// The scores of the topics of a slice, and of all others.
  struct Scores {
    PairedScores in{}, out{};
    std::uint32_t topics = 0;  ///< in the slice
  };

  [[nodiscard]] Scores scores_of(std::span<const TopicIndex> topics) const {
    std::unordered_set<std::uint32_t> set;
    for (const TopicIndex topic : topics) set.insert(topic.value());
    Scores scores;
    for (const SlicedTopic& topic : topics_) {
      const bool is_in = set.contains(topic.topic.value());
      (is_in ? scores.in : scores.out).add(topic.family, topic.a, topic.b);
      scores.topics += is_in ? 1 : 0;
    }
    return scores;
  }

  [[nodiscard]] SliceDifference compared(const FoldedSlice& folded) const {
    const Scores scores = scores_of(folded.topics);
    const std::vector<double> differences = scores.in.differences();
    SliceDifference slice{.dimension = dimension_.name,
                          .name = folded.name,
                          .slices = folded.slices,
                          .units = folded.units,
                          .topics = scores.topics,
                          .mean_a = mean_of(scores.in.a()),
                          .mean_b = mean_of(scores.in.b()),
                          .t = paired_t(differences, confidence_)};
    if (!slice.t) return slice;
    slice.detectable = minimum_detectable_difference(slice.t->sd, slice.t->n, power_);
    slice.against_rest = welch_p(differences, scores.out.differences());
    if (slice.slices == 1 && may_speak(differences)) {
      slice.verdict = first_verdict(differences, slice.t->mean);
    }
    return slice;
  }

  /// Returns kNotRuledOut if the bets have not won enough for a verdict, else kNotShown.
  static SliceVerdict first_verdict(std::span<const double> differences, double mean) {
    TopicEvidence evidence;
    for (const double difference : differences) evidence.add(difference);
    const double won = mean > 0.0 ? evidence.log_e_above() : evidence.log_e_below();
    return is_tenfold(won) ? SliceVerdict::kNotShown : SliceVerdict::kNotRuledOut;
  }

  const TopicSlices::Dimension& dimension_;
  std::span<const SlicedTopic> topics_;
  double confidence_;
  const PowerOptions& power_;
};

/// Replaces the values by their corrected ones.
void correct(std::vector<std::optional<double>*>& values) {
  std::vector<double> p_values;
  for (const auto* value : values) p_values.push_back(**value);
  const std::vector<double> corrected = correct_p_values(p_values, Correction::kHolm);
  for (std::size_t i = 0; i < values.size(); ++i) *values[i] = corrected[i];
}

}  // namespace

std::string_view to_string(SliceVerdict verdict) noexcept {
  constexpr std::array<std::string_view, 5> kWords{"too_few", "not_shown", "not_ruled_out",
                                                   "better", "worse"};
  return kWords[static_cast<std::size_t>(verdict)];
}

bool may_speak(std::span<const double> differences) noexcept {
  return differences.size() >= kUnitsThatSpeak &&
         count_differences(differences).non_zero() >= kDifferentThatSpeak;
}

bool bets_win_below(std::span<const double> differences, double margin) noexcept {
  // Bets need values in [-1, 1]; the scale does not change which side of 0 a mean is on.
  Bets bets;
  for (const double difference : differences) {
    bets.bet_on(-clean_difference(difference, -margin) / (1.0 + margin), 1.0);
  }
  return is_tenfold(bets.log_e());
}

std::vector<SliceDifference> compare_slices(const TopicSlices& slices,
                                            std::span<const SlicedTopic> topics, double confidence,
                                            const PowerOptions& power) {
  std::vector<SliceDifference> differences;
  for (const TopicSlices::Dimension& dimension : slices.dimensions) {
    DimensionComparison(dimension, topics, confidence, power).append_to(differences);
  }
  return differences;
}

void correct_slices(std::span<SliceDifference* const> all, double alpha) {
  std::vector<std::optional<double>*> differences, against_rest;
  for (SliceDifference* const slice : all) {
    if (slice->verdict == SliceVerdict::kTooFew) {
      slice->against_rest.reset();
      continue;
    }
    slice->corrected = slice->t->p_value;
    differences.push_back(&slice->corrected);
    if (slice->against_rest) against_rest.push_back(&slice->against_rest);
  }
  correct(differences);
  correct(against_rest);
  for (SliceDifference* const slice : all) {
    if (slice->verdict == SliceVerdict::kTooFew) continue;
    if (*slice->corrected > alpha) {
      slice->verdict = SliceVerdict::kNotShown;
    } else if (slice->verdict == SliceVerdict::kNotShown) {
      slice->verdict = slice->t->mean > 0.0 ? SliceVerdict::kBetter : SliceVerdict::kWorse;
    }
  }
}

}  // namespace prescope
