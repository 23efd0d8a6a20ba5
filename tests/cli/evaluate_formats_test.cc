// prescope evaluate --format json; transcripts/evaluate_formats.transcript has the other formats.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "support/evaluate_workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

json evaluated(const Workspace& workspace, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "evaluate");
  arguments.insert(arguments.end(), {"--format", "json"});
  const Outcome outcome = workspace.run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

TEST(EvaluateFormats, JsonHasMeansCountsAndPairedTopics) {
  const Workspace workspace(set_up_runs);
  const json result = evaluated(
      workspace, {"qrels.txt", "early.run", "late.res", "-m", "PRES@4,AP", "--per-topic"});
  EXPECT_EQ(result["measures"], json({"PRES@4", "AP"}));
  EXPECT_EQ(result["runs"][0]["name"], "early");
  EXPECT_EQ(result["runs"][0]["tag"], "early");
  EXPECT_EQ(result["runs"][0]["means"]["PRES@4"], (0.875 + 0.75 + 0.0) / 3);
  EXPECT_EQ(result["runs"][0]["topics_in_mean"]["PRES@4"], 3);
  EXPECT_EQ(result["runs"][1]["counts"]["num_rel_ret"], 2);
  ASSERT_EQ(result["per_topic"].size(), 4U);
  EXPECT_EQ(result["per_topic"][0], json::parse(R"({"topic": "T1", "num_rel": 2, "runs": [
      {"num_ret": 3, "num_rel_ret": 2, "duplicates": 0,
       "scores": {"PRES@4": 0.875, "AP": 0.8333333333333333}},
      {"num_ret": 2, "num_rel_ret": 1, "duplicates": 0,
       "scores": {"PRES@4": 0.375, "AP": 0.25}}]})"));
  EXPECT_EQ(result["per_topic"][2]["runs"][0]["scores"]["AP"], nullptr);
}

TEST(EvaluateFormats, JsonHasOdditiesUnderOneKey) {
  const Workspace workspace(set_up_runs);
  workspace.write("odd.run", "T1 Q0 B 1 1 x\nT1 Q0 A 2 1 x\nT1 Q0 X 3 1 x\nT1 Q0 X 4 1 x\n");
  const json result =
      evaluated(workspace, {"qrels.txt", "odd.run", "-m", "R@1", "--topics", "run", "--per-topic"});
  const json& odd = result["worth_knowing"]["runs"][0];
  EXPECT_EQ(odd["topics_missing"], json::parse(R"({"count": 3, "topics": ["T2", "T3", "T4"]})"));
  EXPECT_EQ(odd["duplicates"]["lines"], 1);
  EXPECT_EQ(odd["duplicates"]["first"]["docno"], "X");
  EXPECT_EQ(odd["order"]["topics"], 1);
  EXPECT_EQ(odd["order"]["other"], "file");
  EXPECT_EQ(odd["order"]["means"]["R@1"], 0.5);  // B stands in the first line, X ranks first
  EXPECT_EQ(
      odd["at_cutoffs"],
      json::parse(R"([{"cutoff": 1, "num_ret": 1, "unjudged": 1, "tied": 2, "tied_topics": 1}])"));
  EXPECT_EQ(odd["docno"], nullptr);
  EXPECT_EQ(result["worth_knowing"]["qrels"]["topics_without_relevant"],
            json::parse(R"({"count": 1, "topics": ["T3"]})"));
  EXPECT_EQ(result["per_topic"][1]["runs"], json::array({nullptr}));  // T2 is left out
}

TEST(EvaluateFormats, NamesOfAnyKindComeThroughJson) {
  const Workspace workspace;
  workspace.write("qrels.txt", "\"T\\1 0 A 1\n");
  workspace.write("Köln \"x\".run", "\"T\\1 Q0 A 1 1 t\n");
  const json result = evaluated(workspace, {"qrels.txt", "Köln \"x\".run", "--per-topic"});
  EXPECT_EQ(result["runs"][0]["name"], "Köln \"x\"");
  EXPECT_EQ(result["per_topic"][0]["topic"], "\"T\\1");
}

TEST(EvaluateFormats, JsonIsUtf8ForAnyNames) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T\xC3\xA9 0 A 1\n");
  workspace.write("x\xE9.run", "T\xC3\xA9 Q0 A 1 2 t\n");
  const json result = evaluated(workspace, {"qrels.txt", "x\xE9.run", "--per-topic"});
  EXPECT_EQ(result["runs"][0]["name"], "x\xEF\xBF\xBD");
  EXPECT_EQ(result["per_topic"][0]["topic"], "T\xC3\xA9");
}

/// Keys whose names the user chooses, or that a count's name lists.
const std::set<std::string> kOpen = {"means",  "topics_in_mean", "scores",
                                     "counts", "lowest",         "highest"};

void collect_evaluation_keys(const json& value, std::set<std::string>& keys) {
  if (value.is_array()) {
    for (const json& item : value) collect_evaluation_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    keys.insert(key);
    if (!kOpen.contains(key)) collect_evaluation_keys(member, keys);
  }
}

TEST(EvaluateFormats, PageNamesEveryKeyAndCount) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 EP-1-A1 1\nT1 0 EP-1-B1 1\nT2 0 A 1\n");
  workspace.write("x.run", "T1 Q0 EP-1-A1 1 2 t\nT1 Q0 EP-1-A1 2 2 t\n");
  const json result = evaluated(workspace, {"qrels.txt", "x.run", "--per-topic"});
  ASSERT_FALSE(result["worth_knowing"]["runs"][0]["docno"].is_null());
  std::set<std::string> keys;
  collect_evaluation_keys(result, keys);
  EXPECT_GT(keys.size(), 40U);
  for (const auto& [name, count] : result["runs"][0]["counts"].items()) {
    keys.insert(name.substr(0, name.find('@')));
  }
  const std::string page = content_of(PRESCOPE_SOURCE_DIR "/docs/evaluate.md");
  for (const std::string& key : keys) {
    EXPECT_THAT(page, AnyOf(HasSubstr("`" + key + "`"), HasSubstr("." + key + "`"),
                            HasSubstr("`" + key + "@"), HasSubstr("`" + key + ".")));
  }
}

}  // namespace
}  // namespace prescope::testing
