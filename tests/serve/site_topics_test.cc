// Topics and sweeps of a running experiment, compared with the experiment itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/live/live_report.h"
#include "serve/site/topic_list.h"
#include "support/served_site.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST_F(SiteTest, TopicsEqualTheSummary) {
  serve_all();
  const auto summary = experiment_->summary();
  const json page = get("/api/topics", {{"size", "500"}, {"sort", "topic"}, {"order", "asc"}});
  EXPECT_EQ(page["measure"], "PRES@10");
  EXPECT_EQ(page["total"], kSiteTopics + 2);
  ASSERT_EQ(page["topics"].size(), summary->rows.size());
  for (std::size_t r = 0; r < summary->rows.size(); ++r) {
    const json& topic = page["topics"][r];
    EXPECT_EQ(topic["num_rel"], summary->rows[r].num_rel);
    for (std::size_t a = 0; a < 3; ++a) {
      const TopicRow::Arm& arm = summary->rows[r].arms[a];
      EXPECT_EQ(topic["arms"][a]["visits"], arm.visits);
      if (arm.seen) {
        EXPECT_EQ(topic["arms"][a]["mean"], arm.means[0].value());
      }
    }
  }
  // The verdict's own counts, for each measure.
  for (std::size_t m = 0; m < summary->measures.size(); ++m) {
    const MeasureDifference& difference = summary->pairs[0].differences[m];
    const json tally = get("/api/topics", {{"measure", summary->measures[m].name()}});
    EXPECT_EQ(tally["wins"], difference.wins);
    EXPECT_EQ(tally["ties"], difference.ties);
    EXPECT_EQ(tally["losses"], difference.losses);
    EXPECT_GT(difference.losses + difference.ties, 0U);
  }
}

TEST_F(SiteTest, TopicsAreSortedSearchedAndPaged) {
  serve_all();
  const json defaults = get("/api/topics");
  EXPECT_EQ(defaults["sort"], "abs_difference");
  EXPECT_EQ(defaults["order"], "desc");
  EXPECT_EQ(defaults["page"], 0);
  EXPECT_EQ(defaults["size"], 50);
  EXPECT_EQ(defaults["a"], "a");
  const json page = get("/api/topics", {{"a", "c"},
                                        {"b", "a"},
                                        {"measure", "AP@20"},
                                        {"sort", "score_a"},
                                        {"order", "asc"},
                                        {"search", "T1"},
                                        {"page", "1"},
                                        {"size", "3"}});
  const TopicQuery query{.measure = 5,
                         .a = 2,
                         .b = 0,
                         .sort = TopicSort::kScoreA,
                         .order = SortOrder::kAscending,
                         .search = "t1",
                         .page = 1,
                         .size = 3};
  EXPECT_EQ(page, json::parse(topic_list_json(*experiment_->summary(), query)));
  EXPECT_EQ(page["matching"], 10);
}

TEST_F(SiteTest, DefaultSecondArmIsActive) {
  serve_all();
  experiment_->remove_arm(ArmIndex(1));
  experiment_->restart_arm(ArmIndex(0));
  serve(0, "t00", {DocId(1)});
  wait_until_published();
  EXPECT_EQ(get("/api/topics")["b"], "c");
  EXPECT_EQ(get("/api/topics", {{"a", "c"}})["b"], "a");
  begin({.arms = {"only"}});
  serve(0, "t00", {DocId(1)});
  const json alone = get("/api/topics");
  EXPECT_TRUE(alone["b"].is_null());
  EXPECT_TRUE(alone["topics"][0]["difference"].is_null());
  EXPECT_EQ(alone["wins"], 0);
}

TEST_F(SiteTest, TopicEqualsTheExperimentsTopic) {
  serve_all();
  const json topic = get("/api/topic/t05");
  const std::vector<ArmId> arms(experiment_->arms().begin(), experiment_->arms().end());
  EXPECT_EQ(topic, json::parse(topic_json(experiment_->topic(TopicId("t05")).value(),
                                          {.arms = arms, .measures = experiment_->measures()})));
  EXPECT_EQ(topic["topic"], "t05");
  EXPECT_EQ(topic["cutoff"], 10);
  EXPECT_EQ(topic["measure"], "PRES@10");
  // d6 and d7 at ranks 2 and 3, under b 2 deeper: (9 + 9) / 20 to (7 + 7) / 20.
  EXPECT_EQ(topic["arms"][0]["relevant_ranks"], json({2, 3}));
  EXPECT_EQ(topic["arms"][1]["relevant_ranks"], json({4, 5}));
  EXPECT_EQ(topic["arms"][0]["scores"]["PRES@10"], 0.9);
  EXPECT_EQ(topic["citations"][0]["docno"], "d6");
  EXPECT_EQ(topic["citations"][0]["arms"][1], json({{"rank", 4}, {"in_index", true}}));
  EXPECT_NEAR(topic["pairs"][0]["difference"].get<double>(), -0.2, 1e-12);
  EXPECT_EQ(topic["pairs"][0]["shares"], json({-0.1, -0.1}));
}

TEST_F(SiteTest, HostileNamesAreEscaped) {
  serve_all();
  const json document = get("/api/summary");
  const std::string arm = document["summary"]["arms"][1]["name"];
  EXPECT_EQ(arm, "b\"'<img src=x onerror=alert(1)>\xEF\xBF\xBD");
  EXPECT_EQ(get("/api/series")["arms"][1]["name"], arm);
  EXPECT_EQ(get("/api/sweep")["arms"][1]["name"], arm);
  EXPECT_EQ(get("/api/topics", {{"a", arm}, {"b", "a"}})["a"], arm) << "asked for as shown";
  EXPECT_EQ(get(std::string("/api/topic/") + kScriptTopic)["topic"], kScriptTopic);
  EXPECT_EQ(get(std::string("/api/topic/") + kShownBadBytes)["topic"], kShownBadBytes);
  const json found = get("/api/topics", {{"search", "SCRIPT"}});
  ASSERT_EQ(found["topics"].size(), 1U);
  EXPECT_EQ(found["topics"][0]["topic"], kScriptTopic);
  EXPECT_THAT(refusal_by(*site_, 404, "/api/topic/<script>alert(1)</script>"),
              HasSubstr("there is no topic '<script>alert(1)</script>'"));
  EXPECT_THAT(refusal_by(*site_, 400, "/api/topics", {{"a", "\xff\"<b>"}}), HasSubstr("\"<b>"));
}

TEST_F(SiteTest, SweepEndsAtTheKnownDepth) {
  serve_all();
  const json sweep = get("/api/sweep", {{"count", "10"}});
  EXPECT_EQ(sweep, json::parse(sweep_json(*experiment_->summary(), 10)));
  EXPECT_EQ(sweep["arms"].size(), 3U);
  EXPECT_EQ(sweep["cutoffs"].back(), 6) << "b's longest ranking, which ended by itself";
  EXPECT_EQ(get("/api/sweep")["arms"][0]["topics"], kSiteTopics + 2);
}

}  // namespace
}  // namespace prescope::serve
