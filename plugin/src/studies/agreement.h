#pragma once

#include "runs/evaluation.h"
#include "statistics/paired_tests.h"

/// Verdicts about all pairs of runs by several measures, and the agreement of the measures: figure
/// 7 of Magdy & Jones, SIGIR 2010.
namespace prescope {

struct AgreementOptions {
  PairedTest test = PairedTest::kWilcoxon;  ///< the paper's
  double alpha = 0.05;
  /// Over the pairs of runs, for each measure on its own, so that its verdicts do not depend on the
  /// other measures. The paper corrects nothing.
  Correction correction = Correction::kNone;
  SignFlipOptions sign_flip{};
  unsigned threads = 1;  ///< at least 1; the answer is the same for any number
};

/// Agreement of two measures on the pairs of runs for which both have a verdict.
struct MeasureAgreement {
  std::size_t x = 0, y = 0;          ///< positions among the measures, x < y
  std::uint32_t same_direction = 0;  ///< both: the same run is better
  std::uint32_t both_indistinguishable = 0;
  std::uint32_t only_x_different = 0;  ///< x: one is better; y: indistinguishable
  std::uint32_t only_y_different = 0;
  std::uint32_t opposite = 0;         ///< both: one is better, and not the same one
  std::uint32_t without_verdict = 0;  ///< pairs left out: too few topics

  [[nodiscard]] std::uint32_t same() const noexcept {
    return same_direction + both_indistinguishable;
  }
  [[nodiscard]] std::uint32_t one_different() const noexcept {
    return only_x_different + only_y_different;
  }
  [[nodiscard]] std::uint32_t pairs() const noexcept { return same() + one_different() + opposite; }
  friend bool operator==(const MeasureAgreement&, const MeasureAgreement&) = default;
};

/// Counts of a measure's verdicts about all pairs.
struct MeasureVerdicts {
  std::uint32_t different = 0, indistinguishable = 0, without_verdict = 0;
  friend bool operator==(const MeasureVerdicts&, const MeasureVerdicts&) = default;
};

struct Agreement {
  struct Pair {
    std::size_t a = 0, b = 0;  ///< positions among the runs, a < b
  };

  AgreementOptions options{};
  std::vector<Measure> measures{};
  std::size_t runs = 0;
  std::vector<Pair> pairs{};                   ///< by a, then b
  std::vector<JudgedDifference> tested{};      ///< b - a; a row for each measure, of all pairs
  std::vector<MeasureVerdicts> verdicts{};     ///< for each measure
  std::vector<MeasureAgreement> agreements{};  ///< for each pair of measures

  [[nodiscard]] const JudgedDifference& at(std::size_t pair, std::size_t measure) const {
    return tested[measure * pairs.size() + pair];
  }
  /// The verdict of `measure` about run `b` against run `a`, in either order; kIdentical if a == b.
  [[nodiscard]] Verdict verdict(std::size_t a, std::size_t b, std::size_t measure) const;
};

/// `runs` have the same comparable measures and qrels. Topics count that have a value in both runs
/// of a pair. O(pairs x measures x topics log topics); sign-flip costs a thousand times more.
[[nodiscard]] Agreement agreement(std::span<const Evaluation* const> runs,
                                  const AgreementOptions& options = {});

}  // namespace prescope
