// Stored vectors of planned tests and of plans, which state their tolerance: 1e-9.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden/statistics_vectors.h"
#include "statistics/group_sequential.h"
#include "statistics/planner.h"

namespace prescope {
namespace {

using nlohmann::json;

class PlannerVectors : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path path = PRESCOPE_TEST_REFERENCE "/vectors2.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    vectors_ = json::parse(std::ifstream(path));
  }
  json vectors_;
};

TEST_F(PlannerVectors, BoundariesOfPlannedTests) {
  for (const json& each : vectors_["group_sequential"]["lan_demets"]) {
    SCOPED_TRACE(each.dump());
    const GroupSequential test(
        each["information"].get<std::vector<double>>(), each["alpha"],
        each["spending"] == "obf" ? Spending::kObrienFleming : Spending::kPocock);
    const auto expected = each["z"].get<std::vector<double>>();
    ASSERT_EQ(test.boundaries().size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      expect_close(test.boundaries()[k], expected[k], "z");
    }
    expect_close(test.final_width(), each["final_width_over_fixed"], "width");
    expect_close(test.drift_of(0.8), each["drift_80"], "drift at 80 %");
    expect_close(test.drift_of(0.9), each["drift_90"], "drift at 90 %");
    expect_close(test.expected_share(each["drift_80"]), each["expected_share_80"], "share");
    expect_close(test.expected_share(each["drift_90"]), each["expected_share_90"], "share");
  }
}

TEST_F(PlannerVectors, SpendingAndExits) {
  for (const json& each : vectors_["group_sequential"]["spending_values"]) {
    expect_close(spent_alpha(Spending::kObrienFleming, each["alpha"], each["t"]), each["obf"],
                 "O'Brien and Fleming");
    expect_close(spent_alpha(Spending::kPocock, each["alpha"], each["t"]), each["pocock"],
                 "Pocock");
  }
  const GroupSequential test({0.2, 0.4, 0.6, 0.8, 1.0}, 0.05, Spending::kObrienFleming);
  const GroupSequential::Exits exits = test.exits(2.5);
  const json& expected = vectors_["group_sequential"]["exit_probabilities_obf5_drift_2.5"];
  for (std::size_t k = 0; k < 5; ++k) {
    expect_close(exits.above[k], expected["above"][k], "above");
    expect_close(exits.below[k], expected["below"][k], "below");
  }
}

TEST_F(PlannerVectors, TopicsOfEachWay) {
  for (const json& each : vectors_["planner"]["cases"]) {
    SCOPED_TRACE(each.dump());
    TestGoal goal{each["d"], each["sd"], each["alpha"], each["power"]};
    const auto planned = [&](std::vector<double> looks) {
      const GroupSequential plan(std::move(looks), goal.alpha, Spending::kObrienFleming);
      return topics_for_plan(goal, plan.drift_of(goal.power));
    };
    expect_close(topics_for_one_look(goal), each["fixed"], "one look");
    expect_close(planned({0.2, 0.4, 0.6, 0.8, 1.0}), each["planned_obf5"], "five looks");
    expect_close(planned({0.5, 0.75, 1.0}), each["planned_obf_.5_.75_1"], "three looks");
    expect_close(topics_for_sequence(goal, each["b2"]), each["sequential"], "always valid");
    goal.power = 0.5;
    expect_close(topics_for_sequence(goal, each["b2"]), each["sequential_median"], "median");
  }
}

TEST_F(PlannerVectors, MarginsAndSplitTraffic) {
  for (const json& each : vectors_["planner"]["margin"]) {
    expect_close(
        topics_for_not_worse(each["sd"], each["margin"], each["alpha_one_sided"], each["power"]),
        each["n_noninferior"], "not worse");
    expect_close(
        topics_for_equivalence(each["sd"], each["margin"], each["alpha_one_sided"], each["power"]),
        each["n_equivalent"], "equivalent");
  }
  const json& sd = vectors_["planner"]["sd"];
  expect_close(split_sd(sd[2]["sd_a"], sd[2]["sd_b"], sd[2]["d"]), sd[2]["sd_eff"], "split");
  expect_close(split_sd(sd[3]["rms_a"], sd[3]["rms_b"], sd[3]["d"]), sd[3]["sd_eff"], "baseline");
}

}  // namespace
}  // namespace prescope
