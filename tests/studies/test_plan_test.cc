// Plans of tests: what they predict is what happens.
#include "studies/test_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/errors.h"
#include "statistics/evidence.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

/// Differences of topics: a share of zeros, and the others up or down.
struct World {
  const char* name;
  double zeros, size, up;  ///< up: the share of the others that are above 0

  double draw(std::mt19937_64& random) const {
    std::uniform_real_distribution<double> unit;
    if (unit(random) < zeros) return 0.0;
    const double size_of = std::abs(std::normal_distribution<double>(0.0, size)(random));
    return std::min(1.0, size_of) * (unit(random) < up ? 1.0 : -1.0);
  }
  [[nodiscard]] double mean() const {
    return (1.0 - zeros) * size * std::sqrt(2.0 / M_PI) * (2.0 * up - 1.0);
  }
  [[nodiscard]] double sd() const {
    return std::sqrt((1.0 - zeros) * size * size - mean() * mean());
  }
};

constexpr World kWorlds[] = {{"every topic moves a little up", 0.1, 0.11, 0.6},
                             {"every topic moves more", 0.1, 0.11, 0.68},
                             {"two of three do not move", 0.67, 0.068, 0.68},
                             {"two of three, more", 0.67, 0.068, 0.75}};

std::vector<double> drawn(const World& world, std::mt19937_64& random, double topics) {
  std::vector<double> differences(static_cast<std::size_t>(std::ceil(topics)));
  for (double& difference : differences) difference = world.draw(random);
  return differences;
}

/// Returns whether a planned test states that the mean is above 0.
bool finds(const GroupSequential& plan, std::span<const double> differences) {
  const auto all = static_cast<double>(differences.size());
  for (std::size_t k = 0; k < plan.boundaries().size(); ++k) {
    const auto n = static_cast<std::size_t>(std::lround(all * plan.information()[k]));
    const auto t = paired_t(differences.first(n));
    if (!t || t->sd == 0.0) continue;
    const double z = -normal_quantile(student_t_tail(t->t, t->n - 1.0));
    if (std::abs(z) >= plan.boundaries()[k]) return z > 0.0;
  }
  return false;
}

double power_of(const World& world, const GroupSequential& plan, double topics,
                unsigned experiments) {
  std::mt19937_64 random(7);
  unsigned found = 0;
  for (unsigned i = 0; i < experiments; ++i) {
    found += finds(plan, drawn(world, random, topics)) ? 1 : 0;
  }
  return double(found) / experiments;
}

/// Returns the topics after which 80 % of always-valid verdicts are there.
double topics_to_confidence(const World& world, double at_most, unsigned experiments) {
  std::mt19937_64 random(11);
  std::vector<double> ends;
  const ConfidenceSequence sequence{.alpha = 0.05, .b_squared = 0.25};
  for (unsigned i = 0; i < experiments; ++i) {
    TopicSums sums;
    double n = 0;
    while (n < at_most && (n < 2 || sequence.log_e_value(sums) < -std::log(0.05))) {
      sums.add(world.draw(random));
      ++n;
    }
    ends.push_back(n);
  }
  const auto place = static_cast<std::ptrdiff_t>(0.8 * experiments);
  std::ranges::nth_element(ends, ends.begin() + place);
  return ends[static_cast<std::size_t>(place)];
}

/// The bar is 20 %: with a sixth fewer topics the power is below 0.8, with a fifth more above.
TEST(TestPlans, PredictTheTopicsThatASimulationNeeds) {
  const auto experiments = static_cast<unsigned>(number_of_cases(400));
  const GroupSequential one_look({1.0}, 0.05, Spending::kObrienFleming);
  const GroupSequential planned({0.5, 0.75, 1.0}, 0.05, Spending::kObrienFleming);
  for (const World& world : kWorlds) {
    SCOPED_TRACE(world.name);
    const PilotFacts pilot{.topics = 400, .sd = world.sd()};
    const TestPlan plan = plan_test(pilot, {.differences = {world.mean()}});
    const auto topics = [&](VerdictWay way) {
      return plan.needed[0].topics[place_of(way)].value();
    };
    for (const auto& [way, test] :
         {std::pair(VerdictWay::kOneLook, &one_look), std::pair(VerdictWay::kPlanned, &planned)}) {
      EXPECT_LT(power_of(world, *test, topics(way) / 1.2, experiments), 0.8);
      EXPECT_GT(power_of(world, *test, topics(way) * 1.2, experiments), 0.8);
    }
    const double predicted = topics(VerdictWay::kAlwaysValid);
    const double needed = topics_to_confidence(world, 3 * predicted, experiments);
    EXPECT_NEAR(predicted / needed, 1.0, 0.2);
  }
}

TEST(TestPlans, SayWhatTheTopicsAtHandFind) {
  const PilotFacts pilot{.topics = 394, .sd = 0.1045};
  const TestPlan plan = plan_test(pilot, {.differences = {0.0148}});
  const auto place = place_of(VerdictWay::kOneLook);
  EXPECT_NEAR(*plan.detectable[place], 0.0148, 0.0001) << "394 topics find that difference";
  EXPECT_LT(*plan.needed[0].topics[place], 394);
  EXPECT_EQ(plan.needed[0].topics[place_of(VerdictWay::kSplit)], std::nullopt)
      << "nothing is known of the scores";
}

TEST(TestPlans, OfSplitTrafficSayWhatTheTopicsAtHandFind) {
  const PilotFacts pilot{.topics = 20'000, .sd = 0.1, .sd_a = 0.3, .sd_b = 0.3};
  const TestPlan plan = plan_test(pilot, {.differences = {0.05}});
  const auto place = place_of(VerdictWay::kSplit);
  ASSERT_TRUE(plan.detectable[place]);
  const TestPlan same = plan_test(pilot, {.differences = {*plan.detectable[place]}});
  EXPECT_NEAR(*same.needed[0].topics[place] / 20'000, 1.0, 0.01);
}

TEST(TestPlans, OfAPilotHaveItsFacts) {
  Evaluation a, b;
  a.measures = b.measures = {Measure::parse("R@10")};
  const double of_a[] = {0.0, 0.5, 0.5, 1.0}, of_b[] = {0.5, 0.5, 0.0, 1.0};
  for (std::uint32_t t = 0; t < 4; ++t) {
    a.add({.topic = TopicIndex(t), .family = FamilyIndex(t)})[0] = of_a[t];
    b.add({.topic = TopicIndex(t), .family = FamilyIndex(t)})[0] = of_b[t];
  }
  const PilotFacts pilot = pilot_facts(a, b, 0);
  EXPECT_EQ(pilot.topics, 4U);
  EXPECT_EQ(pilot.zeros, 2U);
  EXPECT_DOUBLE_EQ(*pilot.difference, 0.0);
  EXPECT_DOUBLE_EQ(*pilot.sd, std::sqrt(0.5 / 3.0));
  EXPECT_DOUBLE_EQ(*pilot.sd_a, std::sqrt(0.5 / 3.0));
  EXPECT_THAT(refusal_of([&] { (void)pilot_facts(a, a, 0); }).message, HasSubstr("says nothing"));
}

/// Two arms of a session, compared by R@10, with the values of the test before.
Summary session_of(Mode mode) {
  Summary session{.mode = mode, .topics = 7, .topics_without_relevant = 1};
  session.pairs.push_back({.a = ArmIndex(0), .b = ArmIndex(1)});
  session.pairs[0].differences.push_back({{{}, Measure::parse("R@10")}});
  const double of_a[] = {0.0, 0.5, 0.5, 1.0}, of_b[] = {0.5, 0.5, 0.0, 1.0};
  for (int t = 0; t < 4; ++t) {
    session.rows.push_back({.arms = {{.means = {of_a[t]}}, {.means = {of_b[t]}}}});
  }
  session.rows.push_back({.arms = {{.means = {0.5}}, {.means = {std::nullopt}}}});
  return session;
}

TEST(TestPlans, OfASessionHaveTheFactsOfItsTopics) {
  for (const Mode mode : {Mode::kObserve, Mode::kPaired}) {
    const PilotFacts pilot = pilot_facts(session_of(mode), ArmIndex(1), 0);
    EXPECT_EQ(pilot.topics, 6U) << "at hand";
    EXPECT_EQ(pilot.compared, 4U);
    EXPECT_EQ(pilot.zeros, 2U);
    EXPECT_DOUBLE_EQ(*pilot.sd, std::sqrt(0.5 / 3.0));
    EXPECT_DOUBLE_EQ(*pilot.sd_b, std::sqrt(0.5 / 3.0));
  }
}

TEST(TestPlans, OfFamiliesCountFamilies) {
  Summary session = session_of(Mode::kPaired);
  session.families = 3;
  session.pairs[0].differences[0].live = LiveVerdict{.topics = 2, .sd = 0.25, .mean = 0.125};
  const PilotFacts pilot = pilot_facts(session, ArmIndex(1), 0);
  EXPECT_TRUE(pilot.are_families);
  EXPECT_EQ(pilot.topics, 3U);
  EXPECT_EQ(pilot.compared, 2U);
  EXPECT_EQ(pilot.sd, 0.25);
  EXPECT_EQ(pilot.difference, 0.125);
}

/// In split traffic nobody knows how the arms differ topic by topic. So only the row of that mode
/// is known, and it is that of scores of the same spread.
TEST(TestPlans, OfASplitSessionKnowItsOwnModeOnly) {
  Summary session = session_of(Mode::kSplit);
  EXPECT_THAT(refusal_of([&] { (void)pilot_facts(session, ArmIndex(1), 0); }).message,
              HasSubstr("fewer than two topics"));
  const double in_each = 0.3, difference = 0.05;
  session.pairs[0].differences[0].live =
      LiveVerdict{.topics = 400, .sd = split_sd(in_each, in_each, difference), .mean = difference};
  const TestPlanOptions options{.differences = {difference}, .margin = 0.01};
  const TestPlan plan = plan_test(pilot_facts(session, ArmIndex(1), 0), options);
  const TestPlan same = plan_test({.sd = 0.1, .sd_a = in_each, .sd_b = in_each}, options);
  for (const VerdictWay way : kVerdictWays) {
    const auto& topics = plan.needed[0].topics[place_of(way)];
    if (way == VerdictWay::kSplit) {
      EXPECT_EQ(topics, same.needed[0].topics[place_of(way)]);
    } else {
      EXPECT_EQ(topics, std::nullopt) << words_of(way);
    }
  }
  EXPECT_EQ(plan.not_worse, std::nullopt);
  session.has_baseline = true;
  const TestPlan with = plan_test(pilot_facts(session, ArmIndex(1), 0), options);
  EXPECT_FALSE(with.needed[0].topics[place_of(VerdictWay::kSplit)]);
  EXPECT_TRUE(with.needed[0].topics[place_of(VerdictWay::kSplitBaseline)]);
}

TEST(TestPlans, RefuseOptionsThatMakeNoSense) {
  const PilotFacts pilot{.topics = 400, .sd = 0.1};
  const auto refused = [&](const TestPlanOptions& options) {
    return refusal_of([&] { (void)plan_test(pilot, options); }).message;
  };
  EXPECT_THAT(refused({.alpha = 0.0}), HasSubstr("alpha is 0"));
  EXPECT_THAT(refused({.power = 0.4}), HasSubstr("power is 0.4"));
  EXPECT_THAT(refused({.looks = {0.5}}), HasSubstr("rising to 1"));
  EXPECT_THAT(refused({.looks = {0.5, 0.5, 1.0}}), HasSubstr("rising to 1"));
  EXPECT_THAT(refused({.looks = {0.5, 0.505, 1.0}}), HasSubstr("rising to 1"));
  EXPECT_THAT(refused({.differences = {1e-300}}), HasSubstr("difference of 1e-300"));
  EXPECT_THAT(refused({.differences = {1.5}}), HasSubstr("difference of 1.5"));
  EXPECT_THAT(refused({.margin = -1.0}), HasSubstr("margin of -1"));
  EXPECT_THAT(refused({.per_day = 0.0}), HasSubstr("0 new topics a day"));
}

}  // namespace
}  // namespace prescope
