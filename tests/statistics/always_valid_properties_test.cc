// Methods that stay valid while somebody looks, compared with their definitions: random histories
// of topics with their last values, intervals with the evidence they are made of, and the rate of
// false alarms if there is no difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "statistics/evidence.h"
#include "support/looks.h"
#include "support/plain_bets.h"

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

/// One server's topics: evidence that followed every change, and the present values.
struct Server {
  TopicEvidence evidence;
  std::vector<double> values;

  void visit(std::mt19937_64& random) {
    const double value = any_difference(random);
    if (values.empty() || random() % 3 == 0) {
      values.push_back(value);
      evidence.add(value);
      return;
    }
    double& topic = values[random() % values.size()];
    evidence.remove(topic);
    evidence.add(value);
    topic = value;
  }
};

void expect_evidence_of(const TopicEvidence& evidence, const std::vector<double>& values) {
  long double sum = 0.0, squares = 0.0;
  for (const double value : values) {
    sum += value;
    squares += static_cast<long double>(value) * value;
  }
  ASSERT_EQ(evidence.sums().n(), values.size());
  ASSERT_NEAR(evidence.sums().sum(), static_cast<double>(sum), kSameSum);
  ASSERT_NEAR(evidence.sums().squares(), static_cast<double>(squares), kSameSum);
  const double above = log_wealth(values, 1.0), below = log_wealth(values, -1.0);
  ASSERT_NEAR(evidence.log_e_above(), above, 1e-12 * std::max(1.0, std::abs(above)));
  ASSERT_NEAR(evidence.log_e_below(), below, 1e-12 * std::max(1.0, std::abs(below)));
}

TEST(AlwaysValidProperties, EvidenceAfterManyChangesIsThatOfThePresentValues) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Server server;
    for (int i = 0; i < 2000; ++i) server.visit(random);
    std::ranges::shuffle(server.values, random);
    ASSERT_NO_FATAL_FAILURE(expect_evidence_of(server.evidence, server.values));
  }
}

TEST(AlwaysValidProperties, EvidenceReturnsWhenAChangeIsUndone) {
  std::mt19937_64 random(7);
  TopicEvidence evidence;
  for (const double value : some_differences(random)) evidence.add(value);
  evidence.add(0.25);
  const TopicEvidence before = evidence;
  for (int i = 0; i < 100'000; ++i) {
    const double other = any_difference(random);
    evidence.remove(0.25);
    evidence.add(other);
    evidence.remove(other);
    evidence.add(0.25);
  }
  EXPECT_NEAR(evidence.sums().sum(), before.sums().sum(), kSameSum);
  EXPECT_NEAR(evidence.sums().squares(), before.sums().squares(), kSameSum);
  EXPECT_NEAR(evidence.log_e_above(), before.log_e_above(), kSameSum);
  EXPECT_NEAR(evidence.log_e_below(), before.log_e_below(), kSameSum);
  evidence = TopicEvidence();
  EXPECT_EQ(evidence.sums().n(), 0U);
  EXPECT_NEAR(evidence.log_e_above(), 0.0, 1e-15);
}

TEST(AlwaysValidProperties, EvidenceStaysFiniteAtExtremeValues) {
  for (const double value : {-1.0, 1.0}) {
    const std::vector<double> values(1000, value);
    TopicEvidence evidence;
    for (const double each : values) evidence.add(each);
    expect_evidence_of(evidence, values);
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

/// Differences of two arms that do not differ: symmetric about 0.
struct Null {
  const char* name;
  double zeros, sd;  ///< the share of zeros, and the deviation of the rest
};

Alarms look_after_every_topic(const Null& null, int histories, std::uint64_t topics) {
  const TQuantiles quantiles(topics);
  Alarms alarms;
  for (int history = 0; history < histories; ++history) {
    std::mt19937_64 random(static_cast<std::uint64_t>(history));
    std::bernoulli_distribution is_zero(null.zeros);
    std::normal_distribution normal(0.0, null.sd);
    EveryLook looks(quantiles);
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
  const Alarms alarms = look_after_every_topic(GetParam(), kHistories, kTopics);
  RecordProperty("confidence_sequence", alarms.sequence);
  RecordProperty("betting", alarms.bets);
  RecordProperty("t_test", alarms.t_test);
  EXPECT_LE(alarms.sequence, most_false_alarms(kHistories));
  EXPECT_LE(alarms.bets, most_false_alarms(kHistories));
  EXPECT_GE(alarms.t_test, kHistories * 15 / 100) << "the test that nobody may look at";
}

INSTANTIATE_TEST_SUITE_P(Nulls, WithoutADifference,
                         ::testing::Values(Null{"Dense", 0.08, 0.14},
                                           Null{"ZeroInflated", 0.65, 0.076},
                                           Null{"Sparse", 0.95, 0.143}),
                         [](const auto& null) { return std::string(null.param.name); });

}  // namespace
}  // namespace prescope
