// prescope/gate.h: two runs in memory.
#include "prescope/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nightly/gate/gate.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;
using Status = GateResult::Status;

constexpr std::uint32_t kTopics = 40;

/// Each topic cites d1 and d2.
std::string citations() {
  std::string lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    lines += fmt::format("t{0} 0 d1 1\nt{0} 0 d2 1\n", t);
  }
  return lines;
}

/// The first `worse` topics have lost d2.
std::string run_with(std::uint32_t worse) {
  std::string lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    const std::string_view second = t < worse ? "x2" : "d2";
    lines += fmt::format("t{0} Q0 d1 1 2 tag\nt{0} Q0 {1} 2 1 tag\n", t, second);
  }
  return lines;
}

class RunGate : public ::testing::Test {
 protected:
  [[nodiscard]] JudgedRun run(std::uint32_t worse) const {
    return JudgedRun::load(qrels_, path_of(worse));
  }
  [[nodiscard]] std::string path_of(std::uint32_t worse) const {
    return folder_.write(fmt::format("{}.run", worse), run_with(worse));
  }
  [[nodiscard]] static const GateResult::Rule& rule(const GateResult& result, std::string_view id) {
    return *std::ranges::find(result.rules, id, &GateResult::Rule::id);
  }

  ScratchFolder folder_;
  std::string judgements_ = folder_.write("qrels", citations());
  Qrels qrels_ = Qrels::load(judgements_);
};

TEST_F(RunGate, PassesTheSameRun) {
  const GateResult result = gate(run(0), run(0));
  EXPECT_EQ(result.outcome, GateOutcome::kPass);
  ASSERT_EQ(result.measures.size(), 2U);
  EXPECT_EQ(result.measures[0].measure.name(), "PRES@100");
  EXPECT_EQ(result.measures[0].topics, kTopics);
  EXPECT_EQ(result.measures[0].ties, kTopics);
  EXPECT_EQ(result.measures[0].difference, 0.0);
}

// R@100 of 20 of 40 topics falls from 1 to 1/2: by 1/4 on average.
TEST_F(RunGate, FailsARunThatLosesCitations) {
  const GateResult result = gate(run(0), run(20));
  EXPECT_EQ(result.outcome, GateOutcome::kRegression);
  EXPECT_EQ(rule(result, "margin.R@100").status, Status::kFail);
  const GateResult::MeasureResult& recall = result.measures.at(1);
  EXPECT_EQ(recall.baseline, 1.0);
  EXPECT_EQ(recall.tonight, 0.75);
  EXPECT_EQ(recall.difference, -0.25);
  EXPECT_EQ(recall.losses, 20U);
  EXPECT_EQ(gate(run(20), run(0)).outcome, GateOutcome::kPass) << "the other way round";
}

TEST_F(RunGate, TakesRulesAsToml) {
  const GateOptions options{.rules = "decisions = [{measure = \"R@1\"}]\n"};
  const GateResult result = gate(run(0), run(20), options);
  ASSERT_EQ(result.measures.size(), 1U);
  EXPECT_EQ(result.measures[0].measure.name(), "R@1");
  EXPECT_EQ(result.measures[0].status, Status::kPass) << "d1 stays at rank 1";
}

// 40 topics are too few for a verdict on a slice, and it says so.
TEST_F(RunGate, JudgesSlices) {
  EXPECT_TRUE(gate(run(0), run(20)).slices.empty());
  const GateResult result = gate(run(0), run(20), {.rules = "slices.by = [\"relevant\"]"});
  ASSERT_EQ(result.slices.size(), 1U);
  EXPECT_EQ(result.slices[0].name, "2");
  EXPECT_EQ(result.slices[0].topics, kTopics);
  EXPECT_NEAR(*result.slices[0].difference, *result.measures[0].difference, 1e-12);
  EXPECT_EQ(rule(result, "slices").status, Status::kSkipped);
  EXPECT_THAT(rule(result, "slices").reason, HasSubstr("relevant 2 (40 topics)"));
}

TEST_F(RunGate, RefusesRulesAndOptionsWithTheirPlace) {
  const JudgedRun one = run(0);
  const auto refusal = [&](const GateOptions& options) -> std::string {
    try {
      (void)gate(one, one, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal({.rules = "confidence = 0.9\nmargni = 0.02\n"}), HasSubstr("the rules:2: "));
  EXPECT_THAT(refusal({.rules = "margin = \n"}), HasSubstr("the rules:1: not TOML"));
  EXPECT_THAT(refusal({.scoring = {.depth = 0}}), HasSubstr("a depth of 0"));
  EXPECT_THAT(refusal({.scoring = {.only_topics_of_run = true}}), HasSubstr("all topics"));
}

// The program's way: records of run files, of which the first is pinned.
TEST_F(RunGate, EqualsTheGateOfRecords) {
  const auto record = [&](std::uint32_t worse) {
    return evaluate_run({.path = path_of(worse),
                         .qrels = judgements_,
                         .measures = parse_measures("PRES@100,R@100")});
  };
  for (const std::uint32_t worse : {0U, 1U, 3U, 40U}) {
    const GateVerdict expected =
        gate(Baseline{.name = "baseline run", .evaluation = record(1)}, record(worse), GateRules{});
    const GateResult result = gate(run(1), run(worse));
    EXPECT_EQ(result.outcome, expected.outcome) << worse;
    ASSERT_EQ(result.rules.size(), expected.rules.size());
    for (std::size_t i = 0; i < result.rules.size(); ++i) {
      EXPECT_EQ(result.rules[i].id, expected.rules[i].id);
      EXPECT_EQ(result.rules[i].reason, expected.rules[i].reason);
    }
    EXPECT_EQ(result.measures[0].low, expected.measures[0].low);
  }
}

}  // namespace
}  // namespace prescope
