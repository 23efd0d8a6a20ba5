// The example experiment file and the page on the JSON keep up with the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "prescope/report.h"
#include "support/report_summary.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kSource = PRESCOPE_SOURCE_DIR;

TEST(Documentation, ExampleFileNamesEveryFlag) {
  const std::string example = content_of(kSource / "examples/quickstart/replay.toml");
  const std::string help = run_program({.arguments = {"replay", "--help"}, .environment = {}}).out;
  const std::set<std::string> not_about_the_experiment = {"--help", "--help-arms", "--json",
                                                          "--html", "--runs-out",  "--store",
                                                          "--log",  "--serve",     "--port"};
  const std::regex flag("\n  (?:-h,)?(--[a-z-]+)");
  int flags = 0;
  for (std::sregex_iterator at(help.begin(), help.end(), flag), end; at != end; ++at) {
    if (not_about_the_experiment.contains((*at)[1])) continue;
    EXPECT_THAT(example, HasSubstr((*at)[1].str())) << "is not in the example file";
    ++flags;
  }
  EXPECT_EQ(flags, 23);  // 20 keys, --category, --arms, --arm
}

/// Each run of white space is one blank, and there are no backticks.
std::string plain_words(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex("`"), ""), std::regex("\\s+"), " ");
}

TEST(Documentation, SaysWhyRunsAndReplaysHaveDifferentDocnoPolicies) {
  const std::string page = plain_words(content_of(kSource / "docs/docnos.md"));
  const std::regex reason("--docno POLICY [^(]*\\(((?:raw|patent), because [^)]*)\\)");
  for (const std::string command : {"evaluate", "compare", "replay"}) {
    const std::string help =
        plain_words(run_program({.arguments = {command, "--help"}, .environment = {}}).out);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(help, found, reason)) << help;
    EXPECT_THAT(page, HasSubstr(found[1].str()));
    EXPECT_EQ(found[1].str().starts_with("patent"), command == "replay");
  }
}

TEST(Documentation, KeysOfTheExampleFileAreValidAlsoInComments) {
  const Workspace workspace;
  const std::string example = content_of(kSource / "examples/quickstart/replay.toml");
  const std::string all = std::regex_replace(
      example, std::regex("\n# ([a-zA-Z_.]+ = |\\[qrels.categories\\])"), "\n$1");
  EXPECT_NE(all, example);
  workspace.write("replay.toml", all);
  const Outcome outcome = workspace.run({"replay", "replay.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, Not(AnyOf(HasSubstr("unknown"), HasSubstr("expected a"))));
  // All keys at once contradict each other, and only in these ways.
  EXPECT_THAT(outcome.err, HasSubstr("cutoffs and measures exclude each other"));
  EXPECT_THAT(outcome.err, HasSubstr("topics.path has no meaning"));
}

/// Keys whose names the user chooses; and `health`, whose counters docs/live.md explains.
const std::set<std::string> kWithNamesOfUsers = {
    "means", "served_means", "differences", "scores", "settings", "categories", "health"};

void collect_keys(const json& value, std::set<std::string>& keys, bool names_are_chosen = false) {
  if (value.is_array()) {
    for (const json& item : value) collect_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (!names_are_chosen) keys.insert(key);
    const bool arms_by_name = key == "arms" && member.is_object();
    collect_keys(member, keys, arms_by_name || kWithNamesOfUsers.contains(key));
  }
}

void expect_page_names(const std::set<std::string>& keys) {
  const std::string page = content_of(kSource / "docs/replay-json.md");
  for (const std::string& key : keys) {
    EXPECT_THAT(page, AnyOf(HasSubstr("`" + key + "`"), HasSubstr("." + key + "`"),
                            HasSubstr("`" + key + "."), HasSubstr("." + key + ".")));
  }
}

TEST(Documentation, JsonPageNamesEveryKey) {
  const Workspace workspace(set_up_toy);
  workspace.write("topics.tsv", "T1\tfirst\n");
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::set<std::string> keys;
  json all = json::parse(outcome.out);
  EXPECT_FALSE(
      std::exchange(all["comparison"], nullptr).empty());  // its keys are in docs/compare-json.md
  collect_keys(all, keys);
  EXPECT_GT(keys.size(), 80);
  expect_page_names(keys);
}

TEST(Documentation, JsonPageNamesEveryKeyOfALiveSummary) {
  std::set<std::string> keys;
  for (const Summary& summary : {live_summary(), split_summary()}) {
    collect_keys(json::parse(to_json(summary)), keys);
  }
  for (const char* key : {"ended_with", "alarm", "worst", "drift"}) EXPECT_TRUE(keys.contains(key));
  expect_page_names(keys);
}

}  // namespace
}  // namespace prescope::testing
