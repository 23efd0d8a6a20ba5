// Tests that are planned before their first topic, guardrails, and arms that are the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/report.h"
#include "report/live/live_report.h"
#include "support/difference_ledger.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PlannedTests : public ::testing::Test {
 protected:
  void begin(const TestOptions& test) { of_.begin({}, test); }
  /// The differences in turn, from topic `first` up to `last`.
  void compare(std::uint32_t first, std::uint32_t last, const std::vector<double>& differences) {
    for (std::uint32_t t = first; t < last; ++t) {
      of_.compare(t, differences[t % differences.size()]);
    }
  }
  [[nodiscard]] ArmPair pair() { return of_.summary().pairs.at(0); }
  [[nodiscard]] PlannedTest planned() { return pair().planned.value(); }
  [[nodiscard]] std::string sentence() {
    const Summary summary = of_.summary();
    return verdict_sentence(summary, summary.pairs.at(0));
  }
  [[nodiscard]] std::string grounds() {
    const Summary summary = of_.summary();
    return planned_grounds(summary, summary.pairs.at(0));
  }

  DifferenceLedger of_{500};
};

/// Ends with 100 topics, and looks when half of them are there.
TestOptions of_hundred() { return {.plan = {.topics = 100, .looks = {0.5, 1.0}}}; }

TEST_F(PlannedTests, AreThereOnlyIfSomebodyPlansThem) {
  begin({});
  compare(0, 60, {0.1});
  EXPECT_FALSE(pair().planned);
  EXPECT_TRUE(pair().guardrails.empty());
  EXPECT_FALSE(pair().equivalence);
}

TEST_F(PlannedTests, LookOnceAndKeepWhatTheySaw) {
  begin(of_hundred());
  compare(0, 49, {0.02, -0.01});
  EXPECT_FALSE(planned().looks[0].is_taken);
  EXPECT_EQ(sentence(),
            "The planned test goes on: look 1 of 2 comes with 50 topics; 49 are there.");
  compare(49, 50, {0.02, -0.01});
  // 25 times 0.02 and 25 times -0.01: mean 0.005, sd sqrt(50/49) 0.015.
  const PlannedLook first = planned().looks[0];
  EXPECT_TRUE(first.is_taken);
  EXPECT_NEAR(first.mean.value(), 0.005, 1e-12);
  EXPECT_EQ(planned().state, PlannedState::kGoing);
  EXPECT_NEAR(planned().looks[0].mean.value(), first.mean.value(), 1e-15);  // whoever looks again
  compare(50, 99, {-0.4});
  of_.compare(3, 0.4);  // another visit of a topic that was seen
  const PlannedLook later = planned().looks[0];
  EXPECT_EQ(later.mean, first.mean);
  EXPECT_EQ(later.z, first.z);
  EXPECT_EQ(sentence(),
            "The planned test goes on: look 2 of 2 comes with 100 topics; 99 are there.");
}

TEST_F(PlannedTests, EndAtALookAndLookNoMore) {
  begin(of_hundred());
  compare(0, 50, {0.1, 0.2});
  EXPECT_EQ(planned().state, PlannedState::kBetter);
  EXPECT_EQ(sentence(),
            "b is better than a by 0.1500 PRES@1000 (planned test, look 1 of 2, 50 topics).");
  EXPECT_THAT(grounds(), StartsWith("+0.1500 over 50 topics, interval [+0.1"));
  EXPECT_GT(planned().topics_to_undo, 0U);
  compare(50, 100, {-0.45});
  EXPECT_EQ(planned().state, PlannedState::kBetter);
  EXPECT_FALSE(planned().looks[1].is_taken);
  EXPECT_THAT(to_table(of_.summary()), Not(HasSubstr("confirmed")));
}

TEST_F(PlannedTests, SayThatTheFirstArmIsBetter) {
  begin(of_hundred());
  compare(0, 50, {-0.1, -0.2});
  EXPECT_EQ(planned().state, PlannedState::kWorse);
  EXPECT_THAT(sentence(), StartsWith("a is better than b by 0.1500 PRES@1000 (planned test"));
}

TEST_F(PlannedTests, EndWithoutADifference) {
  begin(of_hundred());
  compare(0, 120, {0.1, -0.1});
  EXPECT_EQ(planned().state, PlannedState::kNotShown);
  EXPECT_EQ(sentence(),
            "The planned test has ended with 100 topics, and no difference in PRES@1000 is shown.");
}

// Equal differences have no deviation, so that t says nothing about them.
TEST_F(PlannedTests, SayNothingAboutEqualDifferences) {
  begin(of_hundred());
  compare(0, 50, {0.1});
  EXPECT_EQ(planned().state, PlannedState::kGoing);
  EXPECT_FALSE(planned().looks[0].z);
  EXPECT_EQ(grounds(),
            "All 50 topics have the same difference, which a planned test cannot judge.");
}

TEST_F(PlannedTests, LeaveToTheLiveVerdictWhatTheOptionsSay) {
  begin(of_hundred());
  compare(0, 50, {0.4, 0.3});
  EXPECT_EQ(pair().differences[0].live->state, LiveState::kDescribed);
  EXPECT_NEAR(planned().alpha, 0.05, 1e-15);
  TestOptions test = of_hundred();
  test.plan.live_alpha = 0.01;
  begin(test);
  compare(0, 50, {0.4, 0.3});
  EXPECT_NEAR(pair().differences[0].live->alpha, 0.01, 1e-15);
  EXPECT_EQ(pair().differences[0].live->state, LiveState::kConfirmed);
  EXPECT_NEAR(planned().alpha, 0.04, 1e-15);
}

TEST_F(PlannedTests, AVetoVoidsThem) {
  begin(of_hundred());
  compare(0, 50, {0.1, 0.2});
  for (std::uint32_t t = 100; t < 160; ++t) of_.fail(t, 0);
  EXPECT_EQ(planned().state, PlannedState::kVetoed);
  EXPECT_THAT(sentence(), StartsWith("No verdict: "));
}

TestOptions with_guardrail(double margin, std::uint32_t topics = 0) {
  return {.plan = {.topics = topics}, .guardrails = {{"PRES@1000", margin}}};
}

TEST_F(PlannedTests, AGuardrailHoldsOnceBetsOnItHaveWonTwentyfold) {
  begin(with_guardrail(0.05));
  compare(0, 20, {0.0});
  EXPECT_EQ(pair().guardrails.at(0).state, GuardrailState::kOpen);
  EXPECT_THAT(sentence(), HasSubstr("Not shown to hold yet: PRES@1000."));
  compare(20, 200, {0.0});
  EXPECT_EQ(pair().guardrails.at(0).state, GuardrailState::kKept);
  EXPECT_GE(pair().guardrails.at(0).log_e_kept, std::log(20.0));
  EXPECT_THAT(sentence(), HasSubstr("The guardrail holds."));
}

TEST_F(PlannedTests, AGuardrailBreaksIfBIsWorseByMore) {
  begin(with_guardrail(0.05));
  compare(0, 100, {-0.2, -0.1});
  EXPECT_EQ(pair().guardrails.at(0).state, GuardrailState::kBroken);
  EXPECT_THAT(sentence(), HasSubstr("Broken: PRES@1000."));
  EXPECT_THAT(to_table(of_.summary()), HasSubstr("BROKEN: PRES@1000 has lost more than 0.05"));
}

// The lower bound of a one-sided test at the look: mean -0.004, sd 0.0121, 200 topics.
TEST_F(PlannedTests, WithAPlanGuardrailsAreJudgedAtItsLooks) {
  begin(with_guardrail(0.02, 400));
  compare(0, 199, {0.008, -0.016});
  EXPECT_EQ(pair().guardrails.at(0).state, GuardrailState::kOpen);
  compare(199, 200, {0.008, -0.016});
  EXPECT_EQ(pair().guardrails.at(0).state, GuardrailState::kKept);
}

TEST_F(PlannedTests, ArmsAreTheSameOnceBothSidesAreRuledOut) {
  begin({.same_within = 0.02});
  compare(0, 100, {0.0});
  EXPECT_FALSE(pair().equivalence->is_shown);
  compare(100, 400, {0.0});
  // 400 x 0 of the reference vectors.
  EXPECT_NEAR(pair().equivalence->log_e_not_worse, 7.3180176752063915, 1e-9);
  EXPECT_NEAR(pair().equivalence->log_e_not_better, 7.3180176752063915, 1e-9);
  EXPECT_TRUE(pair().equivalence->is_shown);
  EXPECT_THAT(sentence(), HasSubstr("a and b are the same within 0.02 PRES@1000."));
}

}  // namespace
}  // namespace prescope
