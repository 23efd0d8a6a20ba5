// The page of a replay: the document inside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/report_document.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ReplayPage : public ::testing::Test {
 protected:
  void SetUp() override {
    set_up_toy(workspace_);
    const Outcome outcome = workspace_.run({"replay", "experiment.toml", "--cutoffs", "4", "--json",
                                            "all.json", "--html", "all.html"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    table_ = outcome.out;
    data_ = report_data(workspace_.read("all.html"));
  }
  const Workspace workspace_;
  std::string table_;
  json data_;
};

TEST_F(ReplayPage, CarriesTheJsonDocument) {
  EXPECT_EQ(data_["kind"], "replay");
  EXPECT_EQ(data_["document"], workspace_.read_json("all.json"));
  EXPECT_THAT(data_["title"].get<std::string>(),
              HasSubstr(data_["document"]["options"]["name"].get<std::string>()));
  EXPECT_THAT(table_, HasSubstr("PRES@4"));
}

TEST_F(ReplayPage, HasEveryTopicThatWasRunWithItsScoresAndCitations) {
  const json& rows = data_["document"]["summary"]["per_topic"];
  const json& arms = data_["document"]["summary"]["arms"];
  ASSERT_EQ(data_["topics"].size(), rows.size());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const json& topic = data_["topics"][t];
    EXPECT_EQ(topic["topic"], rows[t]["topic"]);
    EXPECT_EQ(topic["num_rel"], rows[t]["num_rel"]);
    for (std::size_t a = 0; a < arms.size(); ++a) {
      const json& row = rows[t]["arms"][arms[a]["name"].get<std::string>()];
      EXPECT_EQ(topic["arms"][a]["name"], arms[a]["name"]);
      EXPECT_EQ(topic["arms"][a]["scores"], row["scores"]);
      EXPECT_EQ(topic["arms"][a]["relevant_ranks"], row["relevant_ranks"]);
      std::vector<int> ranks;
      for (const json& citation : topic["citations"]) {
        const json& rank = citation["arms"][a]["rank"];
        if (citation["relevant"] == true && !rank.is_null()) ranks.push_back(rank.get<int>());
      }
      std::ranges::sort(ranks);
      EXPECT_EQ(json(ranks), row["relevant_ranks"]);
    }
  }
}

TEST_F(ReplayPage, SweepEndsWithTheMeansOfTheJson) {
  const json& sweep = data_["sweep"];
  const json& arms = data_["document"]["summary"]["arms"];
  const auto cutoffs = sweep["cutoffs"].get<std::vector<int>>();
  const auto at = std::ranges::find(cutoffs, 4);
  ASSERT_NE(at, cutoffs.end());
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const json& swept = sweep["arms"][a];
    const auto i = static_cast<std::size_t>(at - cutoffs.begin());
    EXPECT_EQ(swept["name"], arms[a]["name"]);
    for (const auto& [key, measure] : {std::pair{"PRES", "PRES@4"}, {"R", "R@4"}}) {
      EXPECT_NEAR(swept[key][i].get<double>(), arms[a]["means"][measure]["mean"].get<double>(),
                  1e-12);
    }
  }
}

TEST_F(ReplayPage, IsTheSameForAnyThreadsAndOnStandardOutput) {
  const Outcome outcome = workspace_.run(
      {"replay", "experiment.toml", "--cutoffs", "4", "--threads", "2", "--html", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  json again = report_document(outcome.out), document = data_["document"];
  remove_times(again);
  remove_times(document);
  EXPECT_EQ(again, document);
}

TEST_F(ReplayPage, IsNotWrittenIfTheReplayFails) {
  const Outcome both = workspace_.run({"replay", "experiment.toml", "--json", "-", "--html", "-"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("cannot both be standard output"));
  const Outcome folder =
      workspace_.run({"replay", "experiment.toml", "--html", "no/such/folder/page.html"});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_THAT(folder.err, HasSubstr("no/such/folder/page.html"));
}

}  // namespace
}  // namespace prescope::testing
