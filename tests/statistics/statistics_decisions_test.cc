// Worked by hand; the stored vectors are in tests/golden.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/split_mix.h"
#include "statistics/effect_size.h"
#include "statistics/paired_tests.h"

namespace prescope {
namespace {

using Values = std::vector<double>;

TEST(SignFlip, CountsAllAssignmentsOfAFewDifferences) {
  // Sums of +-1 +-2 +-4: only +7 and -7 are as far from 0 as 7; of 8.
  const SignFlip test = sign_flip(Values{1, 2, 4});
  EXPECT_TRUE(test.exact);
  EXPECT_EQ(test.flips, 8U);
  EXPECT_EQ(test.as_far, 2U);
  EXPECT_EQ(test.p_value, 0.25);
  // 1 + 2 - 4 = -1; only 1 + 2 - 4 and its mirror are nearer to 0 than 3; none than 1.
  EXPECT_EQ(sign_flip(Values{1, 2, -4}).p_value, 1.0);
}

TEST(SignFlip, IsNotMovedByDifferencesOfZero) {
  EXPECT_EQ(sign_flip(Values{0, 1, 0, 2, 4, 0}).p_value, 0.25);
  EXPECT_EQ(sign_flip(Values{0, 1, 0, 2, 4, 0}).non_zero, 3U);
  Values many;
  for (int i = 1; i <= 70; ++i) many.push_back(i % 3 == 0 ? -0.01 * i : 0.02 * i);
  Values with_zeros = many;
  with_zeros.insert(with_zeros.begin() + 5, 40, 0.0);
  EXPECT_EQ(sign_flip(many).as_far, sign_flip(with_zeros).as_far);
}

TEST(SignFlip, HasPValueOneWithoutDifferences) {
  EXPECT_EQ(sign_flip({}).p_value, 1.0);
  EXPECT_EQ(sign_flip(Values{0, 0, 0}).p_value, 1.0);
}

TEST(SignFlip, TreatsEqualSumsAsEqualDespiteRounding) {
  // 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in binary.
  const SignFlip test = sign_flip(Values{0.1, 0.2, 0.3, -0.6});
  EXPECT_EQ(test.p_value, 1.0);  // the observed sum is 0
  EXPECT_EQ(sign_flip(Values{0.1, 0.2, 0.3}).p_value, 0.25);
  // The magnitudes sum to 17 thirtieths, the differences to 13: a sum is as far from 0 if those
  // with the other sign have magnitudes of 2 or less together. These are none, either 1, both of
  // them, or one of three 2: 7 of 256, and as many on the other side. Rounded to 1e-12, twice
  // 1 / 30 is less than 2 / 30.
  Values thirtieths;
  for (const double each : {-1, -1, 2, 2, 2, 3, 3, 3}) {
    thirtieths.push_back(clean_difference(each / 30.0, 0.0));
  }
  EXPECT_EQ(sign_flip(thirtieths).p_value, 7.0 / 128.0);
}

TEST(SignFlip, EnumeratesUpTo20DifferencesAndSamplesBeyond) {
  EXPECT_TRUE(sign_flip(Values(20, 0.5)).exact);
  EXPECT_EQ(sign_flip(Values(20, 0.5)).p_value, 2.0 / (1 << 20));
  const SignFlip drawn = sign_flip(Values(21, 0.5), {.seed = 3, .flips = 500});
  EXPECT_FALSE(drawn.exact);
  EXPECT_EQ(drawn.flips, 500U);
}

TEST(SignFlip, FlipsSignsByTheDocumentedBits) {
  // Written down again, bit by bit: 70 differences take two numbers each time, lowest bit first.
  Values values;
  for (int i = 0; i < 70; ++i) values.push_back((i % 7 - 2.5) * 0.125);  // exact in binary
  double observed = 0.0;
  for (const double value : values) observed += value;
  SplitMix random(99);
  std::uint64_t as_far = 0;
  for (int flip = 0; flip < 1000; ++flip) {
    const std::uint64_t words[] = {random.next(), random.next()};
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += (words[i / 64] >> (i % 64) & 1U) != 0 ? -values[i] : values[i];
    }
    if (std::abs(sum) >= std::abs(observed)) ++as_far;
  }
  const SignFlip test = sign_flip(values, {.seed = 99, .flips = 1000});
  EXPECT_EQ(test.as_far, as_far);
  EXPECT_EQ(test.p_value, static_cast<double>(as_far + 1) / 1001.0);
}

TEST(Wilcoxon, RanksMagnitudesWithTiesAtTheirMiddle) {
  // Magnitudes 1, 2, 2, 3: ranks 1, 2.5, 2.5, 4. T+ = 2.5 + 4, T- = 1 + 2.5; one tie of two.
  const Wilcoxon test = wilcoxon(Values{-1, 2, -2, 3, 0});
  EXPECT_EQ(test.ranked, 4U);
  EXPECT_EQ(test.rank_sum_up, 6.5);
  EXPECT_EQ(test.rank_sum_down, 3.5);
  EXPECT_EQ(test.mean, 5.0);                             // 4 * 5 / 4
  EXPECT_EQ(test.variance, (4 * 5 * 9 - 6 / 2) / 24.0);  // 6 = 2^3 - 2
}

TEST(Wilcoxon, PrattRanksZerosAndDropsTheirRanks) {
  // 0, -1, 2: ranks 1, 2, 3; the zero's rank is dropped.
  const Wilcoxon test = wilcoxon(Values{2, 0, -1}, ZeroRule::kPratt);
  EXPECT_EQ(test.rank_sum_up, 3.0);
  EXPECT_EQ(test.rank_sum_down, 2.0);
  EXPECT_EQ(test.mean, 2.5);  // (3 * 4 - 1 * 2) / 4
  EXPECT_EQ(test.variance, (3 * 4 * 7 - 1 * 2 * 3) / 24.0);
}

TEST(Wilcoxon, HasPValueOneWithoutDifferences) {
  for (const ZeroRule rule : {ZeroRule::kDrop, ZeroRule::kPratt}) {
    for (const Values& values : {Values{}, Values{0, 0, 0}}) {
      const Wilcoxon test = wilcoxon(values, rule);
      EXPECT_EQ(test.p_value, 1.0);
      EXPECT_EQ(test.z, 0.0);
    }
  }
}

TEST(Multiplicity, CorrectsByHolmAndByBenjaminiHochberg) {
  const Values p = {0.04, 0.01, 0.03};
  // Holm: 3 * .01; max(.03, 2 * .03); max(.06, 1 * .04)
  const Values holm = correct_p_values(p, Correction::kHolm);
  EXPECT_DOUBLE_EQ(holm[1], 0.03);
  EXPECT_DOUBLE_EQ(holm[2], 0.06);
  EXPECT_DOUBLE_EQ(holm[0], 0.06);
  // BH: 3 * .04 / 3; min(.04, 3 * .03 / 2); min(.04, 3 * .01)
  const Values bh = correct_p_values(p, Correction::kBh);
  EXPECT_DOUBLE_EQ(bh[0], 0.04);
  EXPECT_DOUBLE_EQ(bh[2], 0.04);
  EXPECT_DOUBLE_EQ(bh[1], 0.03);
  EXPECT_EQ(correct_p_values(p, Correction::kNone), p);
  for (const auto way : {Correction::kHolm, Correction::kBh, Correction::kNone}) {
    EXPECT_TRUE(correct_p_values({}, way).empty());
    EXPECT_EQ(correct_p_values(Values{0.7}, way), Values{0.7});
    EXPECT_EQ(correct_p_values(Values{1.0, 1.0}, way), (Values{1.0, 1.0}));
  }
}

TEST(Multiplicity, NeverLowersAPValueByRounding) {
  // 13 * 0.93 / 13 is below 0.93 in binary.
  for (const double p : correct_p_values(Values(13, 0.93), Correction::kBh)) EXPECT_GE(p, 0.93);
}

TEST(EffectSize, IsAbsentIfAllDifferencesAreEqual) {
  const Values values(4, 0.1);
  const EffectSize effect = effect_size(*paired_t(values), count_differences(values));
  EXPECT_FALSE(effect.d_z);
  EXPECT_FALSE(effect.g_z);
  EXPECT_EQ(effect.superiority, 1.0);
  EXPECT_EQ(effect.superiority_interval.high, 1.0);
  // 4 of 4: low end n / (n + z^2)
  EXPECT_NEAR(effect.superiority_interval.low, 4.0 / (4.0 + 1.959963984540054 * 1.959963984540054),
              1e-12);
}

TEST(EffectSize, IsNotCorrectedForTwoTopics) {
  // Gamma((v - 1) / 2) is infinite for one degree of freedom.
  const Values values = {0.0, 0.5};
  const EffectSize effect = effect_size(*paired_t(values), count_differences(values));
  EXPECT_NEAR(effect.d_z.value(), 0.25 / std::sqrt(0.125), 1e-12);
  EXPECT_FALSE(effect.g_z);
  EXPECT_EQ(effect.superiority, 0.75);
}

TEST(Power, HandlesEdgeCases) {
  EXPECT_EQ(minimum_detectable_difference(0.0, 10), 0.0);
  EXPECT_FALSE(topics_needed(0.1, 0.0));
  EXPECT_FALSE(topics_needed(0.0, 0.0));
  EXPECT_FALSE(topics_needed(1.0, 1e-12));  // 8e24 topics
  EXPECT_EQ(topics_needed(0.0, 0.01), 2U);
  EXPECT_EQ(topics_needed(0.05, -0.01), topics_needed(0.05, 0.01));
  EXPECT_GT(topics_needed(0.05, 0.01, {.alpha = 0.01}), topics_needed(0.05, 0.01));
  EXPECT_GT(topics_needed(0.05, 0.01, {.power = 0.95}), topics_needed(0.05, 0.01));
}

TEST(FairCoinTail, IsTheBinomialSum) {
  // 10 throws: 1, 10, 45, 120, 210, 252, ... of 1024.
  EXPECT_EQ(fair_coin_tail(0, 10), 1.0);
  EXPECT_NEAR(fair_coin_tail(8, 10), 56.0 / 1024, 1e-15);
  EXPECT_NEAR(fair_coin_tail(10, 10), 1.0 / 1024, 1e-15);
  EXPECT_NEAR(fair_coin_tail(5, 10), (1024 + 252) / 2048.0, 1e-15);
  EXPECT_EQ(fair_coin_tail(0, 0), 1.0);
}

}  // namespace
}  // namespace prescope
