// Methods that stay valid while somebody looks, compared with their definitions: random histories
// of topics with their last values, intervals with the evidence they are made of, and the rate of
// false alarms if there is no difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "statistics/evidence.h"
#include "statistics/latency_sketch.h"
#include "support/looks.h"

namespace prescope {
namespace {

constexpr double kSameSum = 1e-12;

/// A number in [-1, 1], often 0 or one of the ends.
double any_difference(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
    case 1:
      return 0.0;
    case 2:
      return random() % 2 == 0 ? 1.0 : -1.0;
    default:
      return std::uniform_real_distribution(-1.0, 1.0)(random);
  }
}

std::vector<double> some_differences(std::mt19937_64& random) {
  std::vector<double> values(2 + random() % 60);
  for (double& value : values) value = any_difference(random);
  return values;
}

/// One server's topics: sums that followed every change, and the present values.
struct Server {
  TopicSums sums;
  std::vector<double> values;

  void visit(std::mt19937_64& random) {
    const double value = any_difference(random);
    if (values.empty() || random() % 3 == 0) {
      values.push_back(value);
      sums.add(value);
      return;
    }
    double& topic = values[random() % values.size()];
    sums.replace(topic, value);
    topic = value;
  }
};

TEST(AlwaysValidProperties, SumsAfterManyVisitsEqualThoseOfTheLastValues) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Server a;
    for (int i = 0; i < 2000; ++i) a.visit(random);
    std::ranges::shuffle(a.values, random);

    long double sum = 0.0, squares = 0.0;
    for (const double value : a.values) {
      sum += value;
      squares += static_cast<long double>(value) * value;
    }
    ASSERT_EQ(a.sums.n(), a.values.size());
    ASSERT_NEAR(a.sums.sum(), static_cast<double>(sum), kSameSum);
    ASSERT_NEAR(a.sums.squares(), static_cast<double>(squares), kSameSum);
  }
}

/// ln of what 8 players have made of the same, each bet by itself as the formula says: player j
/// stakes 0.99 / 2^j of the largest possible share and starts with 2^-(j+1), the last with 2^-7.
double log_wealth_of_every_bet(const std::vector<double>& values, double mean, double side) {
  std::array<long double, 8> parts{};
  for (int j = 0; j < 8; ++j) {
    const long double stake = side * std::ldexp(0.99L, -j) / (1.0L + side * mean);
    long double log_wealth = std::log(std::ldexp(1.0L, j < 7 ? -(j + 1) : -7));
    for (const double value : values) log_wealth += std::log1p(stake * (value - mean));
    parts[static_cast<std::size_t>(j)] = log_wealth;
  }
  const long double largest = std::ranges::max(parts);
  long double sum = 0.0L;
  for (const long double part : parts) sum += std::exp(part - largest);
  return static_cast<double>(largest + std::log(sum));
}

TEST(AlwaysValidProperties, BetsInBlocksEqualBetsOneByOne) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> values(random() % (seed % 10 == 0 ? 4000 : 200));  // whole blocks and parts
    for (double& value : values) value = any_difference(random);
    const double mean = seed % 3 == 0 ? 0.0 : std::uniform_real_distribution(-0.99, 0.99)(random);
    const BettingEvidence evidence = betting_evidence(values, mean);
    const double above = log_wealth_of_every_bet(values, mean, 1.0);
    const double below = log_wealth_of_every_bet(values, mean, -1.0);
    ASSERT_NEAR(evidence.log_e_above, above, 1e-12 * std::max(1.0, std::abs(above)));
    ASSERT_NEAR(evidence.log_e_below, below, 1e-12 * std::max(1.0, std::abs(below)));
  }
}

TEST(AlwaysValidProperties, BetsStayFiniteAtExtremeValues) {
  // Every factor of a block as small, or as large, as it gets.
  for (const double value : {-1.0, 1.0}) {
    const std::vector<double> values(1000, value);
    for (const double mean : {-1.0 + 1e-9, -0.5, 0.0, 1.0 - 1e-9}) {
      const BettingEvidence evidence = betting_evidence(values, mean);
      const double above = log_wealth_of_every_bet(values, mean, 1.0);
      const double below = log_wealth_of_every_bet(values, mean, -1.0);
      EXPECT_NEAR(evidence.log_e_above, above, 1e-12 * std::max(1.0, std::abs(above))) << mean;
      EXPECT_NEAR(evidence.log_e_below, below, 1e-12 * std::max(1.0, std::abs(below))) << mean;
    }
  }
}

TEST(AlwaysValidProperties, IntervalEndsAtEnoughEvidence) {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::vector<double> values = some_differences(random);
    TopicSums sums;
    for (const double value : values) sums.add(value);
    const ConfidenceSequence sequence{.alpha = 0.01 + 0.1 * static_cast<double>(seed % 5),
                                      .b_squared = seed % 2 == 0 ? 0.25 : 1.0};
    const auto half_width = sequence.half_width(sums);
    if (half_width) {
      ++bounded;
      for (const double end : {sums.mean() - *half_width, sums.mean() + *half_width}) {
        ASSERT_NEAR(sequence.log_e_value(sums, end), -std::log(sequence.alpha), 1e-9);
      }
      continue;
    }
    // Unbounded: no mean has enough evidence against it, wherever one looks.
    for (double far = 1.0; far < 1e6; far *= 3.0) {
      ASSERT_LT(sequence.log_e_value(sums, sums.mean() + far), -std::log(sequence.alpha));
    }
  }
  EXPECT_GT(bounded, 100);
  EXPECT_LT(bounded, 500);
}

TEST(AlwaysValidProperties, RanksOfAQuantileLackEvidenceAgainstThem) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t n = 1 + random() % 400;
    const double q = std::uniform_real_distribution(0.02, 0.995)(random);
    SCOPED_TRACE(::testing::Message() << n << " values, quantile " << q);
    const double a = 20.0 * q, b = 20.0 * (1.0 - q);
    const auto log_e = [&](double k) {
      const auto rest = static_cast<double>(n) - k;
      return std::lgamma(a + k) + std::lgamma(b + rest) - std::lgamma(20.0 + k + rest) -
             std::lgamma(a) - std::lgamma(b) + std::lgamma(20.0) - k * std::log(q) -
             rest * std::log(1.0 - q);
    };
    std::vector<std::uint64_t> accepted;
    for (std::uint64_t k = 0; k <= n; ++k) {
      if (log_e(static_cast<double>(k)) < std::log(1.0 / 0.05)) accepted.push_back(k);
    }
    const QuantileRanks ranks = quantile_ranks_always(n, q);
    EXPECT_EQ(ranks.low, accepted.front());
    EXPECT_EQ(ranks.high, accepted.back() + 1);
    EXPECT_EQ(accepted.size(), accepted.back() - accepted.front() + 1);  // without gaps
  }
}

/// Differences of two arms that do not differ: symmetric about 0.
struct Null {
  const char* name;
  double zeros, sd;  ///< the share of zeros, and the deviation of the rest
};

testing::Alarms look_after_every_topic(const Null& null, int histories, std::uint64_t topics) {
  const testing::TQuantiles quantiles(topics);
  testing::Alarms alarms;
  for (int history = 0; history < histories; ++history) {
    std::mt19937_64 random(static_cast<std::uint64_t>(history));
    std::bernoulli_distribution is_zero(null.zeros);
    std::normal_distribution normal(0.0, null.sd);
    testing::EveryLook looks(quantiles);
    for (std::uint64_t n = 1; n <= topics; ++n) {
      looks.add(is_zero(random) ? 0.0 : std::clamp(normal(random), -1.0, 1.0));
    }
    alarms.count(looks);
  }
  return alarms;
}

class WithoutADifference : public ::testing::TestWithParam<Null> {};

TEST_P(WithoutADifference, LookingAfterEveryTopicSeldomRaisesFalseAlarms) {
  constexpr int kHistories = 300;
  constexpr std::uint64_t kTopics = 1000;
  const testing::Alarms alarms = look_after_every_topic(GetParam(), kHistories, kTopics);
  RecordProperty("confidence_sequence", alarms.sequence);
  RecordProperty("betting", alarms.bets);
  RecordProperty("t_test", alarms.t_test);
  EXPECT_LE(alarms.sequence, testing::most_false_alarms(kHistories));
  EXPECT_LE(alarms.bets, testing::most_false_alarms(kHistories));
  EXPECT_GE(alarms.t_test, kHistories * 15 / 100) << "the test that nobody may look at";
}

INSTANTIATE_TEST_SUITE_P(Nulls, WithoutADifference,
                         ::testing::Values(Null{"Dense", 0.08, 0.14},
                                           Null{"ZeroInflated", 0.65, 0.076},
                                           Null{"Sparse", 0.95, 0.143}),
                         [](const auto& null) { return std::string(null.param.name); });

}  // namespace
}  // namespace prescope
