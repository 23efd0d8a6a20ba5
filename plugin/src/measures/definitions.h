#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "prescope/measure.h"

/// The measure families. To add one: its definition in a file beside this one, its name here and in
/// the table of `measure.cc`.
namespace prescope {

extern const MeasureDefinition kAveragePrecision, kBinaryPreference, kExpectedReciprocalRank,
    kExponentialGain, kFApRecall, kFMeasure, kGeometricMap, kInferredAp, kJudgedShare,
    kNormalizedDiscountedGain, kPrecision, kPres, kPresEst, kRNorm, kRPrecision,
    kRankBiasedPrecision, kRecall, kReciprocalRank, kSetF, kSetPrecision, kSuccess;

/// Returns the family of this name, in any case, or of another program's name for it; or null.
[[nodiscard]] const MeasureDefinition* find_definition(std::string_view name);

/// Returns the last rank that a measure reads: its cutoff, or else the end of any ranking.
[[nodiscard]] inline Rank last_rank(const Measure& measure) noexcept {
  return measure.cutoff() ? measure.cutoff()->value() : std::numeric_limits<Rank>::max();
}

/// Returns why arms and runs cannot be compared in a measure, as the end of a sentence; nothing if
/// they can.
[[nodiscard]] inline std::optional<std::string_view> why_not_compared(
    const Measure& measure) noexcept {
  if (measure.definition().mean == MeasureDefinition::Mean::kArithmetic) return std::nullopt;
  return "its mean is geometric, and the mean of its topics' differences is not the difference of "
         "its means; take AP";
}

/// Returns the number of the ascending ranks up to `last`.
[[nodiscard]] inline std::size_t count_until(std::span<const Rank> ranks, Rank last) noexcept {
  return static_cast<std::size_t>(std::ranges::upper_bound(ranks, last) - ranks.begin());
}

/// Returns the ranks of the relevant documents that a measure reads, ascending.
[[nodiscard]] inline std::span<const Rank> read_ranks(const Measure& measure,
                                                      const JudgedRanks& ranks) noexcept {
  return ranks.relevant.first(count_until(ranks.relevant, last_rank(measure)));
}

/// The relevant documents found so far, from the top of a ranking, and scores; `num_rel` >= 1.
class FoundRelevant {
 public:
  /// Adds the next relevant document found; ranks ascend strictly, from 1.
  void add(Rank rank) noexcept {
    not_relevant_above_ += rank - ++found_;
    sum_of_precisions_ += static_cast<double>(found_) / static_cast<double>(rank);
  }
  [[nodiscard]] std::uint64_t found() const noexcept { return found_; }
  [[nodiscard]] double sum_of_precisions() const noexcept { return sum_of_precisions_; }

  /// Returns the credit of PRES, exact: the sum of N + j - r_j over the documents added, none of
  /// them behind the cutoff N. The r_j - j others above the j-th do not depend on N.
  [[nodiscard]] std::uint64_t credit(std::uint64_t cutoff) const noexcept {
    return found_ * cutoff - not_relevant_above_;
  }
  /// Returns PRES, in [0, recall].
  [[nodiscard]] double pres(std::uint32_t num_rel, std::uint64_t cutoff) const noexcept {
    return static_cast<double>(credit(cutoff)) / static_cast<double>(num_rel * cutoff);
  }
  /// Returns PRES divided by the best that the cutoff allows, min(1, N/n): the same credit over N N
  /// if there are more relevant documents than the searcher reads.
  [[nodiscard]] double pres_estimate(std::uint32_t num_rel, std::uint64_t cutoff) const noexcept {
    return static_cast<double>(credit(cutoff)) /
           static_cast<double>((num_rel < cutoff ? num_rel : cutoff) * cutoff);
  }
  [[nodiscard]] double recall(std::uint32_t num_rel) const noexcept {
    return static_cast<double>(found_) / static_cast<double>(num_rel);
  }
  /// Returns average precision, in [0, recall].
  [[nodiscard]] double average_precision(std::uint32_t num_rel) const noexcept {
    return sum_of_precisions_ / static_cast<double>(num_rel);
  }

 private:
  std::uint64_t found_ = 0;
  std::uint64_t not_relevant_above_ = 0;
  double sum_of_precisions_ = 0.0;
};

/// Returns the relevant documents that a measure reads of a ranking.
[[nodiscard]] inline FoundRelevant hits_read(const Measure& measure,
                                             const JudgedRanks& ranks) noexcept {
  FoundRelevant hits;
  for (const Rank rank : read_ranks(measure, ranks)) hits.add(rank);
  return hits;
}

/// The gain of a grade. A negative one means that the document was pooled, but not judged.
enum class JudgedAs { kRelevant, kNotRelevant, kUnjudged };

[[nodiscard]] inline JudgedAs judged_as(Grade grade, Grade min_grade) noexcept {
  if (grade >= min_grade) return JudgedAs::kRelevant;
  return grade >= 0 ? JudgedAs::kNotRelevant : JudgedAs::kUnjudged;
}

/// Returns nDCG of the ranks up to `last`. `gain` returns the gain of a grade above 0; it may scale
/// all gains by the topic's highest grade. Returns std::nullopt if the grades are not known.
[[nodiscard]] std::optional<double> normalized_gain(Rank last, const JudgedRanks& ranks,
                                                    double (*gain)(Grade grade, Grade highest));
/// Returns bpref, in [0, recall]; 0 without relevant documents.
[[nodiscard]] double binary_preference(const JudgedRanks& ranks);
/// Returns infAP, in [0, 1]; 0 without relevant documents.
[[nodiscard]] double inferred_ap(const JudgedRanks& ranks);

/// The parameter of F and Fap.
inline constexpr MeasureParameter kBeta{
    .word = "beta", .range = "(0, 1000]", .example = "0.5", .allows = [](double beta) {
      return beta > 0.0 && beta <= 1000.0;
    }};

/// Returns (1 + b^2) P R / (b^2 P + R), their harmonic mean if R weighs b^2 times as much; or 0.
[[nodiscard]] inline double f_measure(double beta, double precision, double recall) noexcept {
  const double weight = beta * beta;
  const double weighted = weight * precision + recall;
  return weighted > 0.0 ? (1.0 + weight) * precision * recall / weighted : 0.0;
}

/// Returns the part of a document in discounted cumulative gain.
[[nodiscard]] inline double discounted(double gain, Rank rank) noexcept {
  return gain / std::log2(static_cast<double>(rank) + 1.0);
}

}  // namespace prescope
