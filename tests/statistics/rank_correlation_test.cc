// Rank correlation beyond the stored vectors: edge cases, noise, and properties of any scores.
#include "statistics/rank_correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace prescope {
namespace {

using Scores = std::vector<double>;

TEST(RankCorrelation, HasNoValueWithoutAnOrder) {
  const Scores none, one = {0.5}, two = {0.5, 0.25}, equal = {0.5, 0.5};
  EXPECT_FALSE(kendall_tau_b(none, none));
  EXPECT_FALSE(kendall_tau_b(one, one));
  EXPECT_FALSE(kendall_tau_a(count_pairs(one, one)));
  EXPECT_FALSE(kendall_tau_b(two, equal));
  EXPECT_FALSE(kendall_tau_b(equal, two));
  EXPECT_FALSE(goodman_kruskal_gamma(count_pairs(two, equal)));
  EXPECT_FALSE(spearman_rho(equal, two));
  EXPECT_FALSE(spearman_rho(one, one));
  EXPECT_FALSE(tau_ap(one, one));
  EXPECT_FALSE(rank_biased_overlap({}, {}, 0.9));
  EXPECT_EQ(kendall_tau_a(count_pairs(two, equal)), 0.0);
}

// 0.1 + 0.2 and 0.3 differ in binary, and are the same score.
TEST(RankCorrelation, DifferencesBelowTheTwelfthDecimalAreTies) {
  const Scores noisy = {0.1 + 0.2, 0.3}, other = {1.0, 0.0};
  EXPECT_EQ(count_pairs(noisy, other), (PairCounts{.tied_x = 1}));
  EXPECT_EQ(mid_ranks(noisy), (Scores{1.5, 1.5}));
  EXPECT_EQ(descending_order(noisy), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(count_pairs(Scores{0.3 + 2e-12, 0.3}, other), (PairCounts{.concordant = 1}));
}

// Ranks of 5 2 2 1 are 1 2.5 2.5 4.
TEST(RankCorrelation, EqualScoresShareTheMeanOfTheirRanks) {
  EXPECT_EQ(mid_ranks(Scores{2, 5, 1, 2}), (Scores{2.5, 1, 4, 2.5}));
}

// Ranks 1 2 3 and 2 1 3: 1 - 6 (1 + 1 + 0) / (3 * 8) = 0.5.
TEST(RankCorrelation, SpearmanWithoutTiesIsTheTextbookFormula) {
  EXPECT_DOUBLE_EQ(spearman_rho(Scores{3, 2, 1}, Scores{2, 3, 1}).value(), 0.5);
}

// a b c estimated, b a c by the reference: second place right of 1: 0, third 2 of 2: 1.
// 2 / 2 * (0 + 1) - 1 = 0; the swap at the end instead: 2 / 2 * (1 + 1/2) - 1 = 0.5.
TEST(RankCorrelation, TauApWeighsTheTopMore) {
  EXPECT_DOUBLE_EQ(tau_ap(Scores{3, 2, 1}, Scores{2, 3, 1}).value(), 0.0);
  EXPECT_DOUBLE_EQ(tau_ap(Scores{3, 2, 1}, Scores{3, 1, 2}).value(), 0.5);
}

// A tie of the reference is half right: 2 / 1 * 0.5 - 1 = 0.
TEST(RankCorrelation, TauApCountsATieOfTheReferenceOneHalf) {
  EXPECT_DOUBLE_EQ(tau_ap(Scores{2, 1}, Scores{1, 1}).value(), 0.0);
}

/// Few values, so that there are ties.
Scores random_scores(std::mt19937_64& random, std::size_t size) {
  Scores scores(size);
  for (double& score : scores) score = static_cast<double>(random() % 7) / 7.0;
  return scores;
}

Scores reversed(const Scores& scores) {
  Scores result;
  for (const double score : scores) result.push_back(-score);
  return result;
}

TEST(RankCorrelation, IsSymmetricAndBoundedForAnyScores) {
  constexpr std::uint64_t kSeed = 20261122;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random() % 12;
    const Scores x = random_scores(random, n), y = random_scores(random, n);
    SCOPED_TRACE(::testing::Message() << "seed " << kSeed << " round " << round);
    const PairCounts pairs = count_pairs(x, y), opposite = count_pairs(x, reversed(y));
    EXPECT_EQ(pairs.total(), n * (n - 1) / 2);
    EXPECT_EQ(pairs.concordant, opposite.discordant);
    EXPECT_EQ(kendall_tau_b(x, y), kendall_tau_b(y, x));
    EXPECT_LE(std::abs(*kendall_tau_a(pairs)), std::abs(kendall_tau_b(pairs).value_or(1.0)));
    if (kendall_tau_b(x, x)) {
      EXPECT_DOUBLE_EQ(*kendall_tau_b(x, x), 1.0);
      EXPECT_DOUBLE_EQ(*kendall_tau_b(x, reversed(x)), -1.0);
      EXPECT_NEAR(*spearman_rho(x, x), 1.0, 1e-12);
    }
    // Each place, once, and the mean of all.
    const Scores ranks = mid_ranks(x);
    EXPECT_DOUBLE_EQ(std::accumulate(ranks.begin(), ranks.end(), 0.0),
                     static_cast<double>(n * (n + 1)) / 2.0);
    EXPECT_GE(*tau_ap(x, y), -1.0);
    EXPECT_LE(*tau_ap(x, y), 1.0);
  }
}

/// Overlap as the definition has it: sets at each depth.
double overlap_at(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                  std::size_t depth) {
  const std::set<std::uint32_t> of_a(a.begin(),
                                     a.begin() + std::ptrdiff_t(std::min(depth, a.size())));
  double both = 0.0;
  for (std::size_t i = 0; i < std::min(depth, b.size()); ++i) both += of_a.contains(b[i]) ? 1 : 0;
  return both;
}

// For lists of the same length l: (1 - p) / p * sum over d of X_d / d p^d + X_l / l p^l.
TEST(RankCorrelation, OverlapOfEqualLengthsIsTheTextbookFormula) {
  constexpr std::uint64_t kSeed = 7;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint32_t> a(9), b(9);
    std::iota(a.begin(), a.end(), 0U);
    std::iota(b.begin(), b.end(), static_cast<std::uint32_t>(random() % 4));
    std::ranges::shuffle(a, random);
    std::ranges::shuffle(b, random);
    constexpr double kP = 0.9;
    double sum = 0.0;
    for (std::size_t d = 1; d <= a.size(); ++d) {
      sum += overlap_at(a, b, d) / static_cast<double>(d) * std::pow(kP, static_cast<double>(d));
    }
    const double expected = (1 - kP) / kP * sum + overlap_at(a, b, 9) / 9 * std::pow(kP, 9);
    const RankBiasedOverlap overlap = rank_biased_overlap(a, b, kP).value();
    EXPECT_NEAR(overlap.extrapolated, expected, 1e-12) << "seed " << kSeed << " round " << round;
    EXPECT_LE(overlap.least, overlap.extrapolated + 1e-12);
    EXPECT_NEAR(rank_biased_overlap(b, a, kP)->extrapolated, expected, 1e-12);
  }
}

}  // namespace
}  // namespace prescope
