// How often a verdict is wrong if somebody looks after every topic and there is no mean difference:
// 1000 experiments of each kind, with fixed seeds. The bounds are those of docs/statistics.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "statistics/evidence.h"

namespace prescope {
namespace {

constexpr int kExperiments = 1000;

/// The words that an experiment has ever said.
class Said {
 public:
  void look(const TopicEvidence& evidence) {
    // A verdict takes longer than the evidence; without it there is none.
    const double enough = std::log(1.0 / 0.05);
    if (ConfidenceSequence().log_e_value(evidence.sums()) < enough &&
        evidence.log_e_different() < enough) {
      return;
    }
    const LiveVerdict verdict = live_verdict(evidence, {});
    if (verdict.state == LiveState::kCollecting || verdict.state == LiveState::kNoVerdict) return;
    (verdict.mean > 0.0 ? ahead_better : ahead_worse) = true;
    if (verdict.state == LiveState::kAhead) return;
    (verdict.mean > 0.0 ? better : worse) = true;
    confirmed = confirmed || verdict.state == LiveState::kConfirmed;
  }

  bool ahead_better = false, ahead_worse = false;
  bool better = false, worse = false;  ///< leading or confirmed
  bool confirmed = false;
};

/// Numbers of experiments.
struct FalseVerdicts {
  int ahead = 0, better = 0, worse = 0, either = 0, confirmed = 0;
};

using Values = std::vector<double>;

/// `draw` returns the topics' values in the order in which they enter.
FalseVerdicts look_after_every_topic(const std::function<Values(std::mt19937_64&)>& draw) {
  FalseVerdicts verdicts;
  for (int experiment = 1; experiment <= kExperiments; ++experiment) {
    std::mt19937_64 random(static_cast<std::uint64_t>(experiment));
    TopicEvidence evidence;
    Said said;
    for (const double value : draw(random)) {
      evidence.add(value);
      said.look(evidence);
    }
    verdicts.ahead += said.ahead_better || said.ahead_worse ? 1 : 0;
    verdicts.better += said.better ? 1 : 0;
    verdicts.worse += said.worse ? 1 : 0;
    verdicts.either += said.better || said.worse ? 1 : 0;
    verdicts.confirmed += said.confirmed ? 1 : 0;
  }
  ::testing::Test::RecordProperty("ahead", verdicts.ahead);
  ::testing::Test::RecordProperty("either", verdicts.either);
  ::testing::Test::RecordProperty("better", verdicts.better);
  ::testing::Test::RecordProperty("worse", verdicts.worse);
  ::testing::Test::RecordProperty("confirmed", verdicts.confirmed);
  return verdicts;
}

/// 1000 topics, each with a value from `draw`.
std::function<Values(std::mt19937_64&)> topics_of(std::function<double(std::mt19937_64&)> draw) {
  return [draw = std::move(draw)](std::mt19937_64& random) {
    Values values(1000);
    for (double& value : values) value = draw(random);
    return values;
  };
}

struct Symmetric {
  const char* name;
  double zeros, sd;  ///< the share of topics that do not move, and the deviation of the others
};

class ArmsThatDoNotDiffer : public ::testing::TestWithParam<Symmetric> {};

TEST_P(ArmsThatDoNotDiffer, HaveAVerdictInAtMostFiveOfAHundred) {
  const FalseVerdicts verdicts = look_after_every_topic(topics_of([](std::mt19937_64& random) {
    if (std::bernoulli_distribution(GetParam().zeros)(random)) return 0.0;
    return std::clamp(std::normal_distribution(0.0, GetParam().sd)(random), -1.0, 1.0);
  }));
  EXPECT_LE(verdicts.either, kExperiments * 5 / 100);
}

INSTANTIATE_TEST_SUITE_P(Nulls, ArmsThatDoNotDiffer,
                         ::testing::Values(Symmetric{"Dense", 0.10, 0.112},
                                           Symmetric{"ZeroInflated", 0.67, 0.068},
                                           Symmetric{"Sparse", 0.96, 0.13}),
                         [](const auto& null) { return std::string(null.param.name); });

/// Mean 0, but a few topics lose much and many gain little.
struct Catastrophe {
  const char* name;
  double losers, least_loss, largest_loss;  ///< the losses are uniform
  double winners;
};

class RareCatastrophes : public ::testing::TestWithParam<Catastrophe> {};

TEST_P(RareCatastrophes, SeldomHaveAVerdict) {
  const Catastrophe& null = GetParam();
  const double mean_loss = (null.least_loss + null.largest_loss) / 2.0;
  const double gain = null.losers * mean_loss / null.winners;
  const FalseVerdicts verdicts = look_after_every_topic(topics_of([&](std::mt19937_64& random) {
    const double place = std::uniform_real_distribution(0.0, 1.0)(random);
    if (place < null.losers) {
      return -std::uniform_real_distribution(null.least_loss, null.largest_loss)(random);
    }
    return place < null.losers + null.winners ? gain : 0.0;
  }));
  EXPECT_LE(verdicts.better, kExperiments * 10 / 100);
  EXPECT_LE(verdicts.worse, kExperiments * 10 / 100);
  EXPECT_LE(verdicts.confirmed, kExperiments * 3 / 100);
  // The interval alone, which was called "leading" before, would be wrong more often.
  EXPECT_GT(verdicts.ahead, kExperiments * 10 / 100);
}

INSTANTIATE_TEST_SUITE_P(
    Nulls, RareCatastrophes,
    ::testing::Values(Catastrophe{"OnePercentLoseEverything", 0.01, 0.9899, 0.9901, 0.99},
                      Catastrophe{"EightInAThousandFallToZero", 0.008, 0.1, 0.9, 0.48}),
    [](const auto& null) { return std::string(null.param.name); });

/// Returns the value of each topic's first visit, in the order of first visits, of `visits` visits
/// to 400 topics with Zipf's law. A visit's value is the topic's difference and noise.
Values first_visits(std::mt19937_64& random, double sd_of_topics, double sd_of_visits, int visits) {
  constexpr int kTopics = 400;
  std::normal_distribution<double> normal;
  std::vector<double> weights, topics;
  for (int rank = 1; rank <= kTopics; ++rank) {
    weights.push_back(1.0 / rank);
    topics.push_back(sd_of_topics * normal(random));
  }
  std::discrete_distribution<std::size_t> next_topic(weights.begin(), weights.end());
  std::vector<bool> visited(kTopics);
  Values values;
  for (int visit = 0; visit < visits; ++visit) {
    const std::size_t topic = next_topic(random);
    const double value = topics[topic] + sd_of_visits * normal(random);
    if (visited[topic]) continue;
    visited[topic] = true;
    values.push_back(std::clamp(value, -1.0, 1.0));
  }
  return values;
}

TEST(RevisitedTopics, HaveAVerdictInAtMostFiveOfAHundred) {
  const struct {
    double sd_of_topics, sd_of_visits;
  } cases[] = {{0.1, 0.0}, {0.1, 0.05}, {0.0, 0.3}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.sd_of_visits);
    const FalseVerdicts verdicts = look_after_every_topic([&](std::mt19937_64& random) {
      return first_visits(random, each.sd_of_topics, each.sd_of_visits, 5000);
    });
    EXPECT_LE(verdicts.either, kExperiments * 5 / 100);
  }
}

}  // namespace
}  // namespace prescope
