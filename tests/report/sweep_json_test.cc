// Sweeps over rankings worked by hand.
#include "report/live/live_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include <nlohmann/json.hpp>

namespace prescope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TopicRow::Arm swept_ranking(std::uint32_t num_ret, bool exhausted, std::vector<Rank> ranks) {
  return {.seen = true, .num_ret = num_ret, .exhausted = exhausted, .relevant_ranks = ranks};
}

/// Two topics, two relevant documents each; arm "cut" was asked for 4, "whole" ended at 10.
Summary swept_summary() {
  Summary summary{.arms = {{.id = ArmId("cut")}, {.id = ArmId("whole\xff")}}};
  summary.rows = {
      {.id = TopicId("t1"),
       .num_rel = 2,
       .arms = {swept_ranking(4, false, {1}), swept_ranking(10, true, {2, 10})}},
      {.id = TopicId("t2"),
       .num_rel = 2,
       .arms = {swept_ranking(6, false, {2, 5}), swept_ranking(3, true, {1, 2})}},
  };
  return summary;
}

/// Returns the value of an arm's curve at a cutoff.
json value_at(const json& sweep, std::size_t arm, const char* curve, int cutoff) {
  const auto& cutoffs = sweep["cutoffs"];
  const auto place = std::ranges::find(cutoffs, json(cutoff)) - cutoffs.begin();
  return sweep["arms"][arm][curve].at(static_cast<std::size_t>(place));
}

TEST(SweepJson, EndsAtTheKnownDepth) {
  const json sweep = json::parse(sweep_json(swept_summary(), 40));
  EXPECT_EQ(sweep["cutoffs"], json({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(sweep["arms"][0]["name"], "cut");
  EXPECT_EQ(sweep["arms"][0]["topics"], 2);
  EXPECT_EQ(sweep["arms"][0]["depth"], 4);
  EXPECT_EQ(sweep["arms"][1]["name"], "whole\xEF\xBF\xBD");
  EXPECT_TRUE(sweep["arms"][1]["depth"].is_null());
  // "cut" at 4: t1 (4+1-1) / 8, t2 (4+1-2) / 8; the document at rank 5 of t1 is unknown.
  EXPECT_EQ(value_at(sweep, 0, "PRES", 4), (4.0 / 8 + 3.0 / 8) / 2);
  EXPECT_EQ(value_at(sweep, 0, "R", 4), 0.5);
  EXPECT_EQ(value_at(sweep, 0, "AP", 4), (0.5 + 0.25) / 2);
  EXPECT_TRUE(value_at(sweep, 0, "PRES", 5).is_null());
  EXPECT_TRUE(value_at(sweep, 0, "AP", 10).is_null());
  // "whole" at 10: t1 (10+1-2) + (10+2-10) of 20, t2 all of 20.
  EXPECT_EQ(value_at(sweep, 1, "PRES", 10), (11.0 / 20 + 20.0 / 20) / 2);
  EXPECT_EQ(value_at(sweep, 1, "R", 9), 0.75);
  EXPECT_EQ(value_at(sweep, 1, "R", 10), 1.0);
}

TEST(SweepJson, LeavesOutUnknownValues) {
  Summary summary = swept_summary();
  summary.rows[0].arms[0].awaiting = true;
  summary.rows[1].arms[1] = {};
  summary.rows.push_back({.id = TopicId("nothing relevant"),
                          .arms = {swept_ranking(1, false, {}), swept_ranking(1, false, {})}});
  const json sweep = json::parse(sweep_json(summary, 40));
  EXPECT_EQ(sweep["arms"][0]["topics"], 1);
  EXPECT_EQ(sweep["arms"][0]["depth"], 6);
  EXPECT_EQ(sweep["arms"][1]["topics"], 1);
  EXPECT_TRUE(sweep["arms"][1]["depth"].is_null());
}

TEST(SweepJson, IsEmptyWithoutTopics) {
  const json nothing = json::parse(sweep_json(Summary{.arms = {{.id = ArmId("a")}}}, 40));
  EXPECT_TRUE(nothing["cutoffs"].empty());
  EXPECT_TRUE(nothing["arms"][0]["PRES"].empty());
  EXPECT_TRUE(json::parse(sweep_json(Summary{}, 40))["arms"].empty());
}

TEST(SweepJson, HasAboutTheGivenNumberOfCutoffs) {
  Summary summary = swept_summary();
  for (TopicRow& row : summary.rows) {
    for (TopicRow::Arm& arm : row.arms) arm.num_ret = 1000;
  }
  for (const std::size_t count : {2U, 40U, 200U}) {
    const json sweep = json::parse(sweep_json(summary, count));
    EXPECT_GE(sweep["cutoffs"].size(), count);
    EXPECT_LE(sweep["cutoffs"].size(), count + 12);
    EXPECT_EQ(sweep["arms"][0]["PRES"].size(), sweep["cutoffs"].size());
  }
}

TEST(SweepJson, ReportsReversalsAndDisagreementsOfMeasures) {
  // Two topics of three relevant documents. Recall: early 1/6 at 1, 1/3 from 2 on; late 0 before
  // 21, 1/3 from 22 on, 2/3 from 30 on, 1 from 40 on.
  Summary summary{.arms = {{.id = ArmId("early")}, {.id = ArmId("late")}}};
  for (const Rank topic : {1U, 2U}) {
    summary.rows.push_back({.id = TopicId(std::to_string(topic)),
                            .num_rel = 3,
                            .arms = {swept_ranking(1000, false, {topic, 600}),
                                     swept_ranking(500, false, {20 + topic, 30, 40})}});
  }
  const json sweep = json::parse(sweep_json(summary, 40));
  const json& words = sweep["words"];
  // The reversal is reported for the first cutoff of the sweep from 30 on.
  const auto& cutoffs = sweep["cutoffs"];
  const std::string turn = std::find_if(cutoffs.begin(), cutoffs.end(), [](const json& cutoff) {
                             return cutoff.get<int>() >= 30;
                           })->dump();
  EXPECT_THAT(words["sentences"].dump(), HasSubstr("Recall: early is ahead up to N = 20, level"));
  EXPECT_THAT(words["sentences"].dump(), HasSubstr("late is ahead from N = " + turn + " on."));
  const std::string last = words["sentences"].back();
  EXPECT_THAT(last, StartsWith("The measures disagree: from N = " + turn + " to "));
  EXPECT_THAT(last, HasSubstr("MAP says early"));
  EXPECT_THAT(std::string(words["depth"]),
              StartsWith("late was served 500 deep at the least: there its means end. "));
}

TEST(SweepJson, OneArmIsNotCompared) {
  Summary summary{.arms = {{.id = ArmId("a")}}};
  EXPECT_EQ(json::parse(sweep_json(summary, 40))["words"]["sentences"][0],
            "No topic has been served yet.");
  summary.mode = Mode::kPaired;
  EXPECT_EQ(json::parse(sweep_json(summary, 40))["words"]["sentences"][0],
            "No topic has been ranked for comparison yet.");
  summary.rows = {{.id = TopicId("t"), .num_rel = 1, .arms = {swept_ranking(9, true, {1})}}};
  EXPECT_EQ(json::parse(sweep_json(summary, 40))["words"]["sentences"][0],
            "a alone: nothing to compare it with.");
  summary.rows[0].num_rel = 0;
  EXPECT_EQ(json::parse(sweep_json(summary, 40))["words"]["sentences"][0],
            "No topic has a value yet.");
}

}  // namespace
}  // namespace prescope
