// The overlap of two rankings by the definitions, at every depth; and the mean of many overlaps.
#include "statistics/ranking_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace prescope::ranking_overlap_test {
namespace {

using Documents = std::vector<std::uint64_t>;

constexpr double kTolerance = 1e-12;

Documents without_repeats(const Documents& ranking) {
  Documents once;
  for (const std::uint64_t document : ranking) {
    if (std::ranges::find(once, document) == once.end()) once.push_back(document);
  }
  return once;
}

std::set<std::uint64_t> first(const Documents& ranking, std::size_t depth) {
  return {ranking.begin(), ranking.begin() + std::ptrdiff_t(std::min(depth, ranking.size()))};
}

std::size_t shared(const Documents& a, const Documents& b, std::size_t depth) {
  const std::set<std::uint64_t> of_a = first(a, depth), of_b = first(b, depth);
  return static_cast<std::size_t>(
      std::ranges::count_if(of_b, [&](std::uint64_t one) { return of_a.contains(one); }));
}

double plain_jaccard(const Documents& a, const Documents& b) {
  std::set<std::uint64_t> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return double(shared(a, b, a.size() + b.size())) / double(all.size());
}

/// Webber, Moffat & Zobel: (1 - p) * sum over d from 1 on of p^(d-1) A_d. Down to the end of the
/// shorter list, A_d is what is shared at depth d; down to the end of the longer one, as many of
/// the missing documents are shared as the shorter list shared; and behind that it stays as it is.
double plain_rbo(const Documents& a, const Documents& b, double p) {
  if (a.empty() || b.empty()) return 0.0;
  const double s = double(std::min(a.size(), b.size())), l = double(std::max(a.size(), b.size()));
  const auto at = [&](double depth) { return double(shared(a, b, std::size_t(depth))); };
  const double at_s = at(s), at_l = at(l);
  double sum = 0.0, weight = 1.0 - p;
  for (double d = 1.0; weight > 1e-19; d += 1.0, weight *= p) {
    const double agreement = d <= s   ? at(d) / d
                             : d <= l ? (at(d) + at_s * (d - s) / s) / d
                                      : (at_l - at_s) / l + at_s / s;
    sum += weight * agreement;
  }
  return sum;
}

// Worked by hand, p = 1/2. a b | a c: shared 1, 1; agreements 1, 1/2, then 1/2 for ever:
// 1/2 + 1/8 + 1/8 = 3/4; 1 of 3 documents.
TEST(RankingOverlap, OfSmallRankings) {
  struct Case {
    Documents a, b;
    double jaccard, rbo;
    bool is_identical = false;
  };
  const Case cases[] = {
      {{1, 2}, {1, 3}, 1.0 / 3, 0.75},
      {{1, 2}, {1, 2}, 1.0, 1.0, true},
      // Agreements 0, 1, 1, ...: 1/2.
      {{1, 2}, {2, 1}, 1.0, 0.5},
      {{1, 2}, {3, 4}, 0.0, 0.0},
      // One list is empty: nothing is shared at any depth.
      {{}, {1}, 0.0, 0.0},
      {{5}, {}, 0.0, 0.0},
      // The second 1 is left out, and 2 moves up.
      {{1, 1, 2}, {1, 2, 2}, 1.0, 1.0, true},
      // a | a b: agreements 1, (1 + 1 * 1 / 1) / 2 = 1, then (1 - 1) / 2 + 1 = 1.
      {{1}, {1, 2}, 0.5, 1.0},
  };
  for (const Case& one : cases) {
    const RankingOverlap overlap = ranking_overlap(one.a, one.b, 0.5).value();
    EXPECT_NEAR(overlap.jaccard, one.jaccard, kTolerance);
    EXPECT_NEAR(overlap.rbo, one.rbo, kTolerance);
    EXPECT_EQ(overlap.is_identical, one.is_identical);
  }
}

TEST(RankingOverlap, OfTwoEmptyRankingsHasNoValue) { EXPECT_FALSE(ranking_overlap({}, {}, 0.98)); }

// Uneven lists, with repeats, of documents that are many or few.
TEST(RankingOverlap, IsTheDefinitionForRandomRankings) {
  constexpr std::uint64_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 600; ++round) {
    const std::uint64_t documents = 1 + random() % 150;
    const auto ranking = [&] {
      Documents drawn(random() % 120);
      for (std::uint64_t& one : drawn) one = (random() % documents) * 0x9E3779B97F4A7C15U;
      return drawn;
    };
    const Documents a = ranking(), b = ranking();
    const double p = std::array{0.5, 0.9, 0.98}[random() % 3];
    const auto overlap = ranking_overlap(a, b, p);
    ASSERT_EQ(overlap.has_value(), !a.empty() || !b.empty()) << "round " << round;
    if (!overlap) continue;
    const Documents once_a = without_repeats(a), once_b = without_repeats(b);
    ASSERT_NEAR(overlap->jaccard, plain_jaccard(once_a, once_b), kTolerance) << "round " << round;
    ASSERT_NEAR(overlap->rbo, plain_rbo(once_a, once_b, p), kTolerance) << "round " << round;
    ASSERT_EQ(overlap->is_identical, once_a == once_b);
    const RankingOverlap turned = ranking_overlap(b, a, p).value();
    ASSERT_NEAR(turned.rbo, overlap->rbo, kTolerance);
    ASSERT_EQ(turned.jaccard, overlap->jaccard);
  }
}

/// zeta(1.4) by its series and the integral of the rest.
double zeta_of_power() {
  double sum = 0.0;
  constexpr int kTerms = 1'000'000;
  for (int k = kTerms; k >= 1; --k) sum += std::pow(k, -1.4);
  return sum + std::pow(kTerms + 0.5, -0.4) / 0.4;
}

/// The half width of the interval, from all values.
double plain_half_width(const std::vector<double>& values, double alpha) {
  double squares = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double predicted = (0.5 + sum) / double(i + 1);
    squares += std::pow(values[i] - predicted, 2);
    sum += values[i];
  }
  const double v = std::max(1.0, squares);
  // Howard et al., equation 10: h(k) = (k + 1)^1.4 zeta(1.4), eta = 2, m = 1, half of alpha.
  const double h = std::pow(std::log2(v) + 1.0, 1.4) * zeta_of_power();
  const double l = std::log(h) + std::log(2.0 / alpha);
  const double k1 = (std::pow(2.0, 0.25) + std::pow(2.0, -0.25)) / std::sqrt(2.0);
  const double k2 = (std::sqrt(2.0) + 1.0) / 2.0;
  return (std::sqrt(k1 * k1 * v * l + k2 * k2 * l * l) + k2 * l) / double(values.size());
}

TEST(BoundedMean, IntervalIsThatOfThePaper) {
  EXPECT_EQ(BoundedMean().interval(0.05).low, 0.0);
  EXPECT_EQ(BoundedMean().interval(0.05).high, 1.0);
  EXPECT_FALSE(BoundedMean().mean());
  constexpr std::uint64_t kSeed = 12;
  std::mt19937_64 random(kSeed);
  BoundedMean mean;
  std::vector<double> values;
  double sum = 0.0;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(double(random() % 1001) / 1000.0);
    sum += values.back();
    mean.add(values.back());
    if (i % 500 != 499) continue;
    const double expected = sum / double(values.size());
    const double half_width = plain_half_width(values, 0.01);
    EXPECT_NEAR(mean.mean().value(), expected, kTolerance);
    EXPECT_NEAR(mean.interval(0.01).low, expected - half_width, 1e-9);
    EXPECT_NEAR(mean.interval(0.01).high, expected + half_width, 1e-9);
  }
}

// Almost all rankings are the same and a few share nothing, all share half, or the mean falls in
// the middle of the time. The interval must hold at every look of 95 % of series.
TEST(BoundedMean, IntervalHoldsAtEveryLookWhateverTheDistribution) {
  constexpr std::uint64_t kSeed = 13;
  constexpr int kSeries = 400, kValues = 1500;
  std::mt19937_64 random(kSeed);
  const auto chance = [&] { return double(random() >> 11U) * 0x1p-53; };
  for (const double rare : {0.5, 0.02, 0.002}) {
    for (const bool falls : {false, true}) {
      int missed = 0;
      for (int series = 0; series < kSeries; ++series) {
        BoundedMean mean;
        double expected = 0.0;
        bool is_missed = false;
        for (int i = 0; i < kValues; ++i) {
          const double zero = falls && i > kValues / 2 ? 0.9 : rare;
          expected += 1.0 - zero;
          mean.add(chance() < zero ? 0.0 : 1.0);
          const BoundedMean::Interval interval = mean.interval(0.05);
          const double truth = expected / double(i + 1);
          is_missed = is_missed || truth < interval.low || truth > interval.high;
        }
        missed += is_missed ? 1 : 0;
      }
      EXPECT_LE(missed, kSeries / 20) << rare << " " << falls;
    }
  }
}

TEST(LatestValues, MeanIsThatOfTheLast) {
  LatestValues latest(3);
  latest.add(9.0);
  latest.add(1.0);
  EXPECT_FALSE(latest.mean());
  latest.add(2.0);
  EXPECT_EQ(latest.mean(), 4.0);
  latest.add(6.0);
  EXPECT_EQ(latest.mean(), 3.0) << "1, 2 and 6";
  latest.add(4.0);
  EXPECT_EQ(latest.mean(), 4.0) << "2, 6 and 4";
}

}  // namespace
}  // namespace prescope::ranking_overlap_test
