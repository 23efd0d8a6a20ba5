#pragma once

#include "prescope/offline.h"

namespace prescope {

/// Returns a - b without binary noise (0.444 - 0.394 is not 0.05 in binary): rounded to 1e-12,
/// never -0. To be used before differences are counted, tied or ranked.
[[nodiscard]] double clean_difference(double a, double b) noexcept;

/// The mean of at least one value.
[[nodiscard]] double mean_of(std::span<const double> values) noexcept;

/// The numbers of differences above, at and below 0.
struct DifferenceCounts {
  std::uint32_t wins = 0, ties = 0, losses = 0;

  [[nodiscard]] std::uint32_t total() const noexcept { return wins + ties + losses; }
  [[nodiscard]] std::uint32_t non_zero() const noexcept { return wins + losses; }
  friend bool operator==(const DifferenceCounts&, const DifferenceCounts&) = default;
};

[[nodiscard]] DifferenceCounts count_differences(std::span<const double> differences) noexcept;

/// Student's paired t test of mean difference 0, with its confidence interval.
struct PairedT {
  std::uint32_t n = 0;
  double mean = 0.0, sd = 0.0, standard_error = 0.0;
  double t = 0.0;        ///< 0 if all differences are 0; infinite if sd is 0 and mean is not
  double p_value = 1.0;  ///< two-sided
  double ci_low = 0.0, ci_high = 0.0;
};

/// Returns std::nullopt for fewer than two differences. `confidence` in (0, 1). If all differences
/// are equal, the interval is that point and p is 1 (all zero) or 0.
[[nodiscard]] std::optional<PairedT> paired_t(std::span<const double> differences,
                                              double confidence = 0.95);

/// Returns the two-sided p of Welch's t test of equal means of two groups (Welch 1947);
/// std::nullopt if a group has fewer than two values, or neither varies.
[[nodiscard]] std::optional<double> welch_p(std::span<const double> a, std::span<const double> b);

struct SignFlipOptions {
  std::uint64_t seed = 1;
  std::uint32_t flips = 9999;    ///< drawn if there are too many to try them all; at least 1
  std::uint32_t all_up_to = 20;  ///< non-zero differences of which all are tried; at most 32
};

/// Fisher's randomisation test: how often random signs give a sum of differences as far from 0.
struct SignFlip {
  std::uint32_t non_zero = 0;  ///< differences that are not 0; the others change no sum
  bool exact = true;           ///< every assignment of signs was tried
  std::uint64_t flips = 1;     ///< assignments tried
  std::uint64_t as_far = 1;    ///< of these, with a sum at least as far from 0
  double p_value = 1.0;  ///< two-sided; as_far / flips, or (as_far + 1) / (flips + 1) if drawn
};

/// Tries all 2^n assignments of up to `options.all_up_to` non-zero differences. Beyond that
/// `options.flips` are drawn, from splitmix64: for each assignment one number for each 64 non-zero
/// differences, in their order, lowest bit first; a set bit turns the sign. Each costs n / 8.
[[nodiscard]] SignFlip sign_flip(std::span<const double> differences,
                                 const SignFlipOptions& options = {});

/// The treatment of differences of 0.
enum class ZeroRule {
  kDrop,   ///< Wilcoxon 1945: removed before ranks are given
  kPratt,  ///< Pratt 1959: ranked with the others, then their ranks are dropped
};

/// Wilcoxon's signed-rank test, normal approximation without continuity correction, equal
/// magnitudes at their middle rank.
struct Wilcoxon {
  std::uint32_t ranked = 0;           ///< differences that were ranked
  double rank_sum_up = 0.0;           ///< of those above 0 (T+)
  double rank_sum_down = 0.0;         ///< of those below 0 (T-)
  double mean = 0.0, variance = 0.0;  ///< of T+ if signs are random
  double z = 0.0;                     ///< above 0 if differences above 0 have the higher ranks
  double p_value = 1.0;               ///< two-sided; 1 if all differences are 0
};

/// Differences must be clean (`clean_difference`), because noise would break ties.
[[nodiscard]] Wilcoxon wilcoxon(std::span<const double> differences,
                                ZeroRule zeros = ZeroRule::kDrop);

/// The correction of p-values of several comparisons.
enum class Correction {
  kHolm,  ///< Holm 1979: bounds the chance of any false claim; under any dependence
  kBh,    ///< Benjamini & Hochberg 1995: bounds the expected share of false claims
  kNone,
};

/// The corrected p-values, in the order given, each in [p, 1]. An empty list gives an empty list.
[[nodiscard]] std::vector<double> correct_p_values(std::span<const double> p_values,
                                                   Correction correction);

enum class PairedTest { kT, kSignFlip, kWilcoxon };

inline constexpr std::uint32_t kTopicsForT = 30, kNonZeroForT = 20;

/// Returns `asked_for`, but sign-flip instead of kT if there are fewer than kTopicsForT
/// differences, or fewer than kNonZeroForT that are not 0.
[[nodiscard]] PairedTest deciding_test(const DifferenceCounts& counts,
                                       PairedTest asked_for) noexcept;

/// Differences of pairs, the test that decides about them, and the verdict.
struct JudgedDifference {
  DifferenceCounts counts{};
  std::optional<PairedT> t{};           ///< none for fewer than 2 differences, as all below
  std::optional<SignFlip> sign_flip{};  ///< if it decides
  std::optional<Wilcoxon> wilcoxon{};   ///< if it decides; differences of 0 dropped
  PairedTest decided_by = PairedTest::kT;
  std::optional<double> p_value{};    ///< of the test that decides
  std::optional<double> corrected{};  ///< the same, corrected
  /// kBetter, kWorse: the corrected p is at most alpha. The mean says which; if Wilcoxon's test
  /// decides, the ranks do.
  Verdict verdict = Verdict::kTooFewTopics;
};

/// Runs the t test, with an interval of that confidence, and the test that decides; gives no
/// verdict. `differences` are clean.
[[nodiscard]] JudgedDifference tested_difference(std::span<const double> differences,
                                                 PairedTest test,
                                                 const SignFlipOptions& sign_flip = {},
                                                 double confidence = 0.95);

/// 1: the second of the pair is better, -1: the first is, 0: neither, or no verdict.
[[nodiscard]] constexpr int direction_of(Verdict verdict) noexcept {
  return verdict == Verdict::kBetter ? 1 : verdict == Verdict::kWorse ? -1 : 0;
}

/// Corrects the p-values of several comparisons together, and sets the verdicts of those that have
/// a p-value.
void correct_and_judge(std::span<JudgedDifference* const> differences, Correction correction,
                       double alpha);

}  // namespace prescope
