#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "prescope/measure.h"
#include "prescope/types.h"

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

/// What a judgement says of a document. A negative grade means: pooled, but not judged.
enum class JudgedAs { kRelevant, kNotRelevant, kUnjudged };

[[nodiscard]] inline JudgedAs judged_as(Grade grade, Grade min_grade) noexcept {
  if (grade >= min_grade) return JudgedAs::kRelevant;
  return grade >= 0 ? JudgedAs::kNotRelevant : JudgedAs::kUnjudged;
}

/// Whether there are relevant documents, and the grades that say which documents are not.
[[nodiscard]] inline bool has_grades(const JudgedRanks& ranks) noexcept {
  return ranks.num_rel > 0 && !ranks.grades.empty();
}

/// N: the documents judged not relevant, served or not.
[[nodiscard]] inline std::uint32_t count_not_relevant(const JudgedRanks& ranks) noexcept {
  return static_cast<std::uint32_t>(std::ranges::count_if(ranks.grades, [&](Grade grade) {
    return judged_as(grade, ranks.min_grade) == JudgedAs::kNotRelevant;
  }));
}

/// Average precision, hit by hit.
class AveragePrecision {
 public:
  /// Adds the next relevant document found; ranks ascend strictly, from 1.
  void add(Rank rank) noexcept {
    sum_of_precisions_ += static_cast<double>(++found_) / static_cast<double>(rank);
  }
  /// Of the precisions at the documents added.
  [[nodiscard]] double sum() const noexcept { return sum_of_precisions_; }
  /// In [0, recall]; `num_rel` >= 1.
  [[nodiscard]] double value(std::uint32_t num_rel) const noexcept {
    return sum_of_precisions_ / static_cast<double>(num_rel);
  }

 private:
  std::uint32_t found_ = 0;
  double sum_of_precisions_ = 0.0;
};

/// AP of a topic, under any measure that is made of it.
[[nodiscard]] std::optional<double> average_precision(const Measure& measure,
                                                      const JudgedRanks& ranks);

/// bpref, judged document by judged document. Unjudged documents are passed over.
class BinaryPreference {
 public:
  /// R relevant documents and N judged not relevant.
  BinaryPreference(std::uint32_t num_rel, std::uint32_t num_not_relevant) noexcept
      : num_rel_(num_rel), most_above_(std::min(num_rel, num_not_relevant)) {}

  void add_relevant() noexcept {
    sum_ += above_ == 0 ? 1.0
                        : 1.0 - static_cast<double>(std::min(above_, num_rel_)) /
                                    static_cast<double>(most_above_);
  }
  void add_not_relevant() noexcept { ++above_; }
  /// In [0, recall]; 0 where R is 0.
  [[nodiscard]] double value() const noexcept {
    return num_rel_ == 0 ? 0.0 : sum_ / static_cast<double>(num_rel_);
  }

 private:
  std::uint32_t num_rel_, most_above_;
  std::uint32_t above_ = 0;  // judged not relevant, so far
  double sum_ = 0.0;
};

/// Discounted cumulative gain, document by document.
class DiscountedGain {
 public:
  void add(double gain, Rank rank) noexcept {
    sum_ += gain / std::log2(static_cast<double>(rank) + 1.0);
  }
  [[nodiscard]] double value() const noexcept { return sum_; }

 private:
  double sum_ = 0.0;
};

inline constexpr MeasureParameter kBeta{
    .word = "beta", .range = "(0, 1000]", .example = "0.5", .allows = [](double beta) {
      return beta > 0.0 && beta <= 1000.0;
    }};

/// (1 + b^2) P R / (b^2 P + R): the harmonic mean of P and R in which R weighs b^2 times as much.
/// 0 where both are 0.
[[nodiscard]] inline double f_measure(double beta, double precision, double recall) noexcept {
  const double weight = beta * beta;
  const double weighted = weight * precision + recall;
  return weighted > 0.0 ? (1.0 + weight) * precision * recall / weighted : 0.0;
}

/// Inferred average precision, pooled document by pooled document. The sum's terms are written in
/// trec_eval's order, so that both round alike.
class InferredAp {
 public:
  /// Adds the next relevant document; ranks ascend strictly, from 1.
  void add_relevant(Rank rank) noexcept {
    const double above = static_cast<double>(rank) - 1.0;
    sum_ += rank == 1 ? 1.0 : expected_precision(above);
    relevant_ += 1.0;
  }
  void add_not_relevant() noexcept { not_relevant_ += 1.0; }
  /// A pooled document that the sample of judged ones has not.
  void add_unjudged() noexcept { unjudged_ += 1.0; }
  /// In [0, 1]; 0 where `num_rel` is 0.
  [[nodiscard]] double value(std::uint32_t num_rel) const noexcept {
    return num_rel == 0 ? 0.0 : sum_ / static_cast<double>(num_rel);
  }

 private:
  // The document itself, and what stands above it: in the pool with the frequency seen, and then
  // relevant with the (smoothed) frequency seen among the judged ones.
  [[nodiscard]] double expected_precision(double above) const noexcept {
    constexpr double kSmoothing = 1e-5;
    return 1.0 / (above + 1.0) +
           (above / (above + 1.0)) * ((relevant_ + not_relevant_ + unjudged_) / above) *
               ((relevant_ + kSmoothing) / (relevant_ + not_relevant_ + 2 * kSmoothing));
  }

  double relevant_ = 0.0, not_relevant_ = 0.0, unjudged_ = 0.0;  // whole numbers, so far
  double sum_ = 0.0;
};

/// The credit of PRES, hit by hit, for any cutoff that the hits do not exceed.
///
/// The j-th relevant document found, at rank r_j, is worth N + j - r_j. The r_j - j documents above
/// it that are not relevant do not depend on the cutoff N, so their sum is all that is kept.
class Pres {
 public:
  /// Adds the next relevant document found; ranks ascend strictly, from 1.
  void add(Rank rank) noexcept { not_relevant_above_ += rank - ++found_; }
  /// sum of (N + j - r_j) over the documents added, none of them behind `cutoff`. Exact.
  [[nodiscard]] std::uint64_t credit(std::uint64_t cutoff) const noexcept {
    return found_ * cutoff - not_relevant_above_;
  }
  /// In [0, recall]; `num_rel` >= 1.
  [[nodiscard]] double value(std::uint32_t num_rel, std::uint64_t cutoff) const noexcept {
    return static_cast<double>(credit(cutoff)) / static_cast<double>(num_rel * cutoff);
  }
  /// PRES divided by the best that the cutoff allows, min(1, N/n): the same credit over N N where
  /// there are more relevant documents than the searcher reads.
  [[nodiscard]] double estimate(std::uint32_t num_rel, std::uint64_t cutoff) const noexcept {
    return static_cast<double>(credit(cutoff)) /
           static_cast<double>((num_rel < cutoff ? num_rel : cutoff) * cutoff);
  }

 private:
  std::uint64_t found_ = 0;
  std::uint64_t not_relevant_above_ = 0;
};

/// Recall, hit by hit.
class Recall {
 public:
  void add(Rank) noexcept { ++found_; }
  /// In [0, 1]; `num_rel` >= 1.
  [[nodiscard]] double value(std::uint32_t num_rel) const noexcept {
    return static_cast<double>(found_) / static_cast<double>(num_rel);
  }

 private:
  std::uint32_t found_ = 0;
};

}  // namespace prescope
