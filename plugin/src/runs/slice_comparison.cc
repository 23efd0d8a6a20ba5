#include "runs/slice_comparison.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

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
    std::unordered_set<std::uint32_t> small;
    std::vector<SliceDifference> small_slices;
    for (const TopicSlices::Slice& slice : dimension_.slices) {
      const SliceDifference one = compared(slice.name, set_of(slice.topics));
      if (one.units >= kUnitsShown) {
        differences.push_back(one);
        continue;
      }
      if (one.units > 0) small_slices.push_back(one);
      for (const TopicIndex topic : slice.topics) small.insert(topic.value());
    }
    if (small_slices.size() == 1) differences.push_back(small_slices.front());
    if (small_slices.size() > 1) {
      differences.push_back(compared(kSmallSlices, small));
      differences.back().slices = static_cast<std::uint32_t>(small_slices.size());
      differences.back().verdict = SliceVerdict::kTooFew;
    }
    const SliceDifference none = compared(kUnsliced, set_of(dimension_.unsliced));
    if (none.units > 0) differences.push_back(none);
  }

 private:
  using Topics = std::unordered_set<std::uint32_t>;

  static Topics set_of(std::span<const TopicIndex> topics) {
    Topics set;
    for (const TopicIndex topic : topics) set.insert(topic.value());
    return set;
  }

  [[nodiscard]] SliceDifference compared(std::string_view name, const Topics& topics) const {
    PairedScores in, out;
    SliceDifference slice{.dimension = dimension_.name, .name = std::string(name)};
    for (const SlicedTopic& topic : topics_) {
      const bool is_in = topics.contains(topic.topic.value());
      (is_in ? in : out).add(topic.family, topic.a, topic.b);
      slice.topics += is_in ? 1 : 0;
    }
    const std::vector<double> differences = in.differences();
    slice.units = static_cast<std::uint32_t>(differences.size());
    if (differences.empty()) return slice;
    slice.mean_a = mean_of(in.a());
    slice.mean_b = mean_of(in.b());
    slice.t = paired_t(differences, confidence_);
    if (!slice.t) return slice;
    slice.detectable = minimum_detectable_difference(slice.t->sd, slice.t->n, power_);
    slice.against_rest = welch_p(differences, out.differences());
    if (may_speak(differences)) slice.verdict = first_verdict(differences, slice.t->mean);
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
  TopicEvidence evidence;
  for (const double difference : differences) {
    evidence.add(clean_difference(difference, -margin) / (1.0 + margin));
  }
  return is_tenfold(evidence.log_e_below());
}

std::string slice_words(std::string_view dimension, std::string_view name) {
  return name == kUnsliced ? fmt::format("topics without {}", dimension)
                           : fmt::format("{} {}", dimension, name);
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
