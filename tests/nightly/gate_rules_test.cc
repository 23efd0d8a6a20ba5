// Applied rules and refused ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "nightly/gate/gate.h"
#include "nightly/gate/gate_rules.h"
#include "prescope/error.h"
#include "support/evaluation_records.h"

namespace prescope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GateRules applied(std::string_view measures, const GateRules& rules = {}) {
  const EvaluationRecord record = evaluation_record(steady_topics(3), measures);
  return gate(baseline_of(record), record, rules).applied;
}

std::string refusal(std::string_view measures, const GateRules& rules) {
  try {
    (void)applied(measures, rules);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "nothing was thrown";
}

GateRules decided_by(const char* measure, double margin = 0.01) {
  return {.decisions = {{Measure::parse(measure), margin}}};
}

TEST(GateRules, DecideByPresAndRecallAtTheFirstCutoff) {
  // A night has no grades, so that PRES(rel=2) has no value.
  const GateRules rules =
      applied("PRES(rel=2)@10,AP@50,PRES@200,R@200,PRES@1000", {.margin = 0.03});
  ASSERT_EQ(rules.decisions.size(), 2U);
  EXPECT_EQ(rules.decisions[0].measure.name(), "PRES@200");
  EXPECT_EQ(rules.decisions[1].measure.name(), "R@200");
  EXPECT_EQ(rules.decisions[1].margin, 0.03);
  EXPECT_THAT(refusal("AP,R@10", {}), HasSubstr("baseline 'main' has no PRES, only AP, R@10"));
}

TEST(GateRules, KnowOnlyTheMeasuresOfTheBaseline) {
  EXPECT_EQ(
      refusal("PRES@100,R@100", decided_by("PRES@1000")),
      "baseline 'main' was not made for PRES@1000; it has PRES@100, R@100: name one of these, "
      "or pin a baseline for PRES@1000");
}

TEST(GateRules, RefuseAllValuesOutOfRangeAtOnce) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string all = refusal(
      "PRES@100",
      {.decisions = {{Measure::parse("PRES@100"), 0.0}},
       .margin = 1.0,
       .confidence = 0.5,
       .catastrophe = {.hard_loss_share = 1.1, .fall = 0.0, .fall_share = -0.1},
       .latency = {.ratio = 0.0},
       .input = {.judged_found_fall = nan, .documents_change = -1.0, .duplicates_share = 2.0}});
  EXPECT_EQ(all,
            "margin is 1; expected a number in (0, 1)\n"
            "confidence is 0.5; expected a number in (0.5, 1)\n"
            "catastrophe.hard_loss_share is 1.1; expected a number in [0, 1]\n"
            "catastrophe.fall is 0; expected a number in (0, 1]\n"
            "catastrophe.fall_share is -0.1; expected a number in [0, 1]\n"
            "latency.ratio is 0; expected a number above 0, or false\n"
            "input.judged_found_fall is nan; expected a number in [0, 1]\n"
            "input.documents_change is -1; expected a number from 0 on\n"
            "input.duplicates_share is 2; expected a number in [0, 1]\n"
            "margin of PRES@100 is 0; expected a number in (0, 1)");
  EXPECT_THAT(refusal("PRES@100", decided_by("PRES@100", nan)), HasSubstr("is nan"));
  EXPECT_THAT(refusal("PRES@100", decided_by("PRES@100", -0.01)), HasSubstr("is -0.01"));
}

TEST(GateRules, RefuseAMeasureThatIsNamedTwice) {
  GateRules rules = decided_by("PRES@100");
  rules.decisions.push_back(rules.decisions.front());
  EXPECT_EQ(refusal("PRES@100", rules), "PRES@100 decides twice; expected each measure once");
}

TEST(GateRules, OnlyMeasuresOfRelevantRanksCanDecide) {
  std::vector<std::string> deciding;
  for (const char* name :
       {"PRES@10", "R@10", "AP@10", "nDCG@10", "P@10", "Rprec", "RR", "Success@10", "bpref",
        "infAP", "RBP0.8", "GMAP", "F1@10", "Fap4@10", "Rnorm", "PRESest@10", "Judged@10"}) {
    if (!why_not_a_decision(Measure::parse(name))) deciding.emplace_back(name);
  }
  EXPECT_THAT(deciding, ElementsAre("PRES@10", "R@10", "AP@10", "P@10", "Rprec", "RR", "Success@10",
                                    "RBP0.8", "F1@10", "Fap4@10", "PRESest@10"));
}

}  // namespace
}  // namespace prescope::testing
