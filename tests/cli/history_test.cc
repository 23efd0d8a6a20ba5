// The JSON of `prescope history`; transcripts/history.transcript has the other formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kNightTopics = 40;

/// Nights 1 to 4: the baseline; B one rank later; in every topic A three ranks later; the same.
/// PRES@10 of ranks 1 and 3 is (10 + 9) / 20 = 0.95, of 1 and 4 it is 0.90, of 4 and 5 (7 + 7)
/// / 20.
void store_four_nights(const Workspace& workspace) {
  pin_base(workspace);
  const NightRanks ranks[] = {{1, 4}, {4, 5}, {1, 4}};
  int night = 2;
  for (const NightRanks& served : ranks) {
    const std::string run = "night" + std::to_string(night++) + ".run";
    write_night_run(workspace, run, kNightTopics, [&](int) { return served; });
    const Outcome gated = run_night(workspace, "gate", run);
    ASSERT_NE(gated.exit_code, 2) << gated.err;
  }
}

Outcome history(const Workspace& workspace, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"history", "nights.db"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

json history_json(const Workspace& workspace, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--format", "json"});
  const Outcome outcome = history(workspace, more);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

// Two names that differ in a control character stay two names.
TEST(HistoryCommand, TopicsKeepTheBytesOfTheirNames) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T\x01 0 D\x01 1\nT\x02 0 D\x02 1\n");
  workspace.write("base.run", "T\x01 Q0 D\x01 1 2 bm25\nT\x02 Q0 D\x02 1 2 bm25\n");
  ASSERT_EQ(run_night(workspace, "pin", "base.run", {"--why", "x"}).exit_code, 0);
  const Outcome lines = history(workspace, {"--per-topic", "--format", "json"});
  EXPECT_THAT(lines.out, AllOf(HasSubstr(R"("topic":"T\u0001")"), HasSubstr(R"(["D\u0002"])")));
  const Outcome csv = history(workspace, {"--per-topic", "--format", "csv"});
  EXPECT_THAT(csv.out, AllOf(HasSubstr(",T\x01,true,"), HasSubstr(",D\x02,,")));
}

// It had no value of the rule's measure, silently, because -m did not name it.
TEST(HistoryCommand, AGatedNightHasTheMeansOfItsRules) {
  const Workspace workspace(pin_base);
  ASSERT_EQ(
      workspace.run({"gate", "nights.db", "--from", "base.run", "--qrels", "qrels.txt", "-m", "AP"})
          .exit_code,
      0);
  const json measures = history_json(workspace)["nights"][1]["measures"];
  for (const auto& [measure, mean] : {std::pair("PRES@10", 0.95), std::pair("R@10", 1.0)}) {
    EXPECT_NEAR(measures[measure]["mean"].get<double>(), mean, 1e-12);
    EXPECT_EQ(measures[measure]["from_baseline"], 0.0);
  }
}

// A stored night keeps its measures; the sentence names those of the rules that it lacks.
TEST(HistoryCommand, NamesAMeasureOfARuleThatANightHasNoMeanOf) {
  const Workspace workspace(pin_base);
  for (const char* name : {"other", "another"}) {
    ASSERT_EQ(workspace
                  .run({"pin", "nights.db", "--from", "base.run", "--qrels", "qrels.txt", "-m",
                        "AP", "--name", name, "--why", "x"})
                  .exit_code,
              0);
  }
  ASSERT_EQ(workspace.run({"gate", "nights.db", "--from", "3"}).exit_code, 0);
  const std::string named =
      "PRES@10, of rule margin.PRES@10, has no stored mean in night 3; history -m PRES@10 computes";
  EXPECT_EQ(history_json(workspace)["words"]["nights"][0], named + " it.");
  EXPECT_THAT(history(workspace, {"--format", "csv"}).err, HasSubstr("note: " + named));
  EXPECT_THAT(history(workspace).out, HasSubstr("PRES@10, of rule margin.PRES@10, has no stored"));
  EXPECT_THAT(history(workspace, {"-m", "PRES@10,R@10"}).out, Not(HasSubstr("no stored mean")));
}

TEST(HistoryCommand, JsonNamesTheBaselineOfEachNight) {
  const Workspace workspace(store_four_nights);
  const json all = history_json(workspace);
  ASSERT_EQ(all["nights"].size(), 4U);
  EXPECT_EQ(all["nights"][3]["baseline"], 1);
  EXPECT_EQ(all["nights"][3]["before"], 3);
  EXPECT_NEAR(all["nights"][3]["measures"]["PRES@10"]["from_baseline"].get<double>(), -0.05, 1e-12);
  EXPECT_EQ(all["nights"][0]["verdict"], nullptr);
  EXPECT_EQ(all["nights"][2]["verdict"], "REGRESSION");
  EXPECT_EQ(all["pins"][0]["by"], "ada");
  // Every topic lost the same: no doubt is left.
  const json& drift = all["newest"][0];
  EXPECT_EQ(drift["night"], 4);
  EXPECT_EQ(drift["against"], 1);
  EXPECT_EQ(drift["which"], "baseline");
  EXPECT_EQ(drift["tests"]["PRES@10"]["topics"], kNightTopics);
  EXPECT_NEAR(drift["tests"]["PRES@10"]["difference"].get<double>(), -0.05, 1e-12);
  EXPECT_EQ(drift["tests"]["PRES@10"]["p_value"], 0.0);
}

TEST(HistoryCommand, NewPinKeepsTheBaselineOfOldNights) {
  const Workspace workspace(store_four_nights);
  const Outcome pinned = workspace.run({"pin", "nights.db", "--from", "4", "--why", "accepted"});
  ASSERT_EQ(pinned.exit_code, 0) << pinned.err;
  write_night_run(workspace, "night5.run", kNightTopics, [](int) { return NightRanks{1, 4}; });
  EXPECT_EQ(run_night(workspace, "gate", "night5.run").exit_code, 0);
  const json all = history_json(workspace);
  EXPECT_EQ(all["nights"][2]["baseline"], 1);
  EXPECT_EQ(all["nights"][4]["baseline"], 4);
  EXPECT_EQ(all["nights"][4]["measures"]["PRES@10"]["from_baseline"], 0.0);
  EXPECT_EQ(all["pins"][1]["replaced"], 1);
  EXPECT_THAT(all["nights"][3]["pinned_as"], ElementsAre("main"));
}

// R@3 of ranks 1 and 4 is 1/2, of 1 and 3 it is 1; it was not asked for when the nights were
// stored.
TEST(HistoryCommand, AnyMeasureOfRanksIsComputedFromTheStore) {
  const Workspace workspace(store_four_nights);
  const json all = history_json(workspace, {"-m", "R@3,AP"});
  EXPECT_THAT(all["measures"], ElementsAre("R@3", "AP"));
  EXPECT_EQ(all["nights"][0]["measures"]["R@3"]["mean"], 1.0);
  EXPECT_EQ(all["nights"][1]["measures"]["R@3"]["mean"], 0.5);
  EXPECT_EQ(all["nights"][2]["measures"]["R@3"]["mean"], 0.0);
  EXPECT_NEAR(all["nights"][2]["measures"]["AP"]["mean"].get<double>(), (1.0 / 4 + 2.0 / 5) / 2,
              1e-12);
}

TEST(HistoryCommand, FiltersListFewerNights) {
  const Workspace workspace(store_four_nights);
  EXPECT_EQ(history_json(workspace, {"--last", "1"})["nights"][0]["night"], 4);
  EXPECT_EQ(history_json(workspace, {"--arm", "bm25"})["nights"].size(), 4U);
  EXPECT_EQ(history_json(workspace, {"--since", "2020-01-01"})["nights"].size(), 4U);
  EXPECT_EQ(history_json(workspace, {"--until", "2020-01-01"})["nights"].size(), 0U);
}

void collect_history_keys(const json& value, std::set<std::string>& keys, bool are_names = false) {
  if (value.is_array()) {
    for (const json& item : value) collect_history_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (!are_names) keys.insert(key);
    collect_history_keys(member, keys, (key == "measures" || key == "tests") && member.is_object());
  }
}

TEST(HistoryCommand, PageNamesEveryKeyFlagAndColumn) {
  const Workspace workspace(store_four_nights);
  const std::string page =
      content_of(std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs/history.md");
  std::set<std::string> names;
  collect_history_keys(history_json(workspace, {"--slice-by", "relevant"}), names);
  EXPECT_TRUE(names.contains("slice_measure"));
  EXPECT_GT(names.size(), 30U);
  std::istringstream columns(history(workspace, {"--format", "tsv"}).out);
  std::string column;
  while (std::getline(columns, column, '\t') && !column.starts_with("PRES@")) names.insert(column);
  for (const std::string& name : names) {
    EXPECT_THAT(page, ::testing::AnyOf(HasSubstr("`" + name + "`"), HasSubstr("." + name + "`")))
        << name;
  }
  for (const char* flag : {"--arm", "--since", "--until", "--last", "--measures", "--slices",
                           "--slice-by", "--format", "--html"}) {
    EXPECT_THAT(page, HasSubstr(std::string("`") + flag)) << flag;
  }
}

}  // namespace
}  // namespace prescope::testing
