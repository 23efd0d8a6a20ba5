// Arms that search indexes, or engines, of their own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// set_up_toy's index, and "tonight" of three documents: EP5, EP2, EP1, each an answer to every
/// query. T1 cites EP2, T2 cites EP1 and EP5; cutoff 4.
void set_up_two_nights(const Workspace& workspace) {
  set_up_toy(workspace);
  workspace.write("tonight.jsonl", R"({"id": "EP0000005A1", "title": "five"}
{"id": "EP0000002A1", "title": "two, amended"}
{"id": "EP0000001A1", "title": "one"}
)");
  const Outcome indexed =
      workspace.run({"index", "--engine", test_module("toy"), "--out", "tonight", "tonight.jsonl"});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
}

const json kToy = {{"name", "toy"}, {"version", "1"}};

TEST(SeveralIndexes, EachArmSearchesItsOwn) {
  const Workspace workspace(set_up_two_nights);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--arms", "forward,tonight",
                                         "--arm", "tonight:index=tonight", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["indexes"],
            json::array({{{"path", "index"}, {"documents", 5}, {"engine", kToy}},
                         {{"path", "tonight"}, {"documents", 3}, {"engine", kToy}}}));
  EXPECT_EQ(result["index"]["path"], "index");
  EXPECT_EQ(result["options"]["arms"][1]["index"], "tonight");
  EXPECT_EQ(result["options"]["arms"][1]["settings"], json::object());
  // T2: EP1 and EP5 at ranks 1 and 5 of the first index, 3 and 1 of tonight's.
  const json& arms = result["summary"]["per_topic"][1]["arms"];
  EXPECT_EQ(arms["forward"]["relevant_ranks"], json({1, 5}));
  EXPECT_EQ(arms["tonight"]["relevant_ranks"], json({1, 3}));
}

TEST(SeveralIndexes, TheTableNamesEachIndexWithItsEngine) {
  const Workspace workspace(set_up_two_nights);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--arms", "forward,tonight",
                                         "--arm", "tonight:index=tonight,order=backward"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* line :
       {"index   index, 5 documents (toy 1)\n", "index   tonight, 3 documents (toy 1)\n",
        "arm     forward (index)\n", "arm     tonight: order = backward (tonight)\n"}) {
    EXPECT_THAT(outcome.out, HasSubstr(line));
  }
}

TEST(SeveralIndexes, AnArmsPathsInTheFileAreRelativeToTheFile) {
  const Workspace workspace(set_up_two_nights);
  workspace.write("experiment.toml", workspace.read("experiment.toml") +
                                         "[[arms]]\nname = 'tonight'\nengine = '" +
                                         test_module("toy") + "'\nindex = 'tonight'\n");
  std::filesystem::create_directory(workspace.path("elsewhere"));
  const Outcome outcome = run_program({.arguments = {"replay", "../experiment.toml", "--json", "-"},
                                       .environment = {},
                                       .folder = workspace.path("elsewhere")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["options"]["arms"][2]["index"], "../tonight");
  EXPECT_EQ(result["indexes"].size(), 2U);  // one engine, given as default and by the arm
}

TEST(SeveralIndexes, ArmsWithTheirOwnIndexNeedNoDefault) {
  const Workspace workspace(set_up_two_nights);
  const std::string source = "engine=" + test_module("toy") + ",index=tonight";
  workspace.write("empty.toml", "qrels.path = 'qrels.txt'\ntopics.path = 'topics.tsv'\n");
  const Outcome outcome = workspace.run(
      {"replay", "empty.toml", "--cutoffs", "4", "--arm", "a:" + source, "--arm", "b:" + source});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(SeveralIndexes, TopicsAreDocumentsOfTheFirstIndexThatHasThem) {
  const Workspace workspace(set_up_two_nights);
  // EP2 is in both indexes, with another title tonight; EP3 is in the first alone.
  workspace.write("qrels.txt", "EP0000002A1 0 EP0000001A1 1\nEP0000003A1 0 EP0000005A1 1\n");
  const Outcome outcome =
      workspace.run({"replay", "experiment.toml", "--topics-source", "documents", "--arms",
                     "tonight,forward", "--arm", "tonight:index=tonight", "--json", "-"},
                    {{"TOY_LOG", workspace.path("log").string()}});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["topics"]["run"], 2);
  EXPECT_THAT(workspace.read("log"), HasSubstr("two, amended tonight\n"));
  EXPECT_THAT(workspace.read("log"), HasSubstr("three tonight\n"));
}

TEST(SeveralIndexes, AnEngineWithoutAnIndexOfItsOwnIsRefused) {
  const Workspace workspace(set_up_toy);
  workspace.write("bad.toml", workspace.read("experiment.toml") +
                                  "[[arms]]\nname = 'x'\nengine = 'toy'\n"
                                  "[[arms]]\nname = 'y'\nindex = 3\n"
                                  "[[arms]]\nname = 'z'\nindex = ''\n");
  const Outcome outcome = workspace.run({"replay", "bad.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bad.toml:16: arm 'x' names an engine of its own and no "
                                     "index; set index in the arm too"));
  EXPECT_THAT(outcome.err, HasSubstr("bad.toml:20: index is an integer; expected a string"));
  EXPECT_THAT(outcome.err, HasSubstr("bad.toml:23: an arm's index is empty"));
}

TEST(SeveralIndexes, MissingIndexIsNamed) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--arm", "x:index=nowhere"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("nowhere: no toy index there"));
}

TEST(SeveralIndexes, HelpOnArmsCoversEachEngineOfTheExperiment) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--help-arms", "--arm",
                                         "x:engine=" + test_module("toy") + ",index=index"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Settings of an arm of toy 1:\n"));
  EXPECT_EQ(outcome.out.find("Settings of"), outcome.out.rfind("Settings of")) << "once an engine";
}

}  // namespace
}  // namespace prescope::testing
