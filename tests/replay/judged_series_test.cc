// Judged documents that an index lacks, by authority and series.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kZero =
    "US applications: 0 of 2 judged documents found; they would match with a zero behind the year "
    "(US2003220294 in the qrels, US20030220294A1 in the index): use --docno patent";

/// Ten judged EP patents that the index has, and two US applications that it writes otherwise.
void set_up_series(const Workspace& workspace) {
  set_up_toy(workspace);
  std::string documents, qrels;
  for (int i = 0; i < 10; ++i) {
    documents += fmt::format("{{\"id\": \"EP100000{}A1\", \"title\": \"x\"}}\n", i);
    qrels += fmt::format("T1 0 EP100000{}A1 1\n", i);
  }
  for (const int i : {4, 5}) {
    documents += fmt::format("{{\"id\": \"US2003022029{}A1\", \"title\": \"x\"}}\n", i);
    qrels += fmt::format("T2 0 US200322029{} 1\n", i);
  }
  workspace.write("documents.jsonl", documents);
  workspace.write("qrels.txt", qrels);
  ASSERT_EQ(
      workspace.run({"index", "--engine", test_module("toy"), "--out", "index", "documents.jsonl"})
          .exit_code,
      0);
}

TEST(JudgedSeries, AReplayNamesTheFormInWhichTheIndexHasThem) {
  const Workspace workspace(set_up_series);
  const Outcome raw =
      workspace.run({"replay", "experiment.toml", "--docno", "raw", "--json", "result.json"});
  ASSERT_EQ(raw.exit_code, 0) << raw.err;
  EXPECT_THAT(raw.err, HasSubstr(kZero));
  EXPECT_THAT(workspace.read_json("result.json")["words"]["notes"].get<std::vector<std::string>>(),
              Contains(kZero));
  const Outcome patent = workspace.run({"replay", "experiment.toml"});
  EXPECT_THAT(patent.err, Not(HasSubstr("judged documents found")));
}

TEST(JudgedSeries, PinAndGateWarnOfThem) {
  const Workspace workspace(set_up_series);
  const std::vector<std::string> night = {
      "nights.db", "--from", "experiment.toml", "--arm", "forward", "--docno", "raw"};
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, night.begin(), night.end());
    return workspace.run(arguments);
  };
  const Outcome pinned = run({"pin", "--why", "x"});
  ASSERT_EQ(pinned.exit_code, 0) << pinned.err;
  EXPECT_THAT(pinned.err, HasSubstr(kZero));
  const Outcome gated = run({"gate", "--dry-run", "--json", "-"});
  EXPECT_THAT(gated.err, HasSubstr(kZero));
  const json verdict = json::parse(gated.out);
  bool is_warned = false;
  for (const json& rule : verdict["rules"]) {
    if (rule["id"] != "input.run") continue;
    EXPECT_EQ(rule["status"], "warning");
    EXPECT_THAT(rule["reason"].get<std::string>(), HasSubstr(kZero));
    is_warned = true;
  }
  EXPECT_TRUE(is_warned);
}

TEST(JudgedSeries, ASeriesThatTheIndexLacksIsNamed) {
  const Workspace workspace(set_up_series);
  std::string qrels = workspace.read("qrels.txt");
  for (int i = 0; i < 12; ++i) qrels += fmt::format("T2 0 JP20011234{:02}A 1\n", i);
  workspace.write("qrels.txt", qrels);
  workspace.write("families", "EP1000000 f1\nEP1000001 -1\nEP1000002 -1\n");
  const Outcome outcome =
      workspace.run({"replay", "experiment.toml", "--docno", "family", "--family-map", "families"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("JP applications: 0 of 12 judged documents found, of the "
                                     "other series 12 of 12; are they written in another form than "
                                     "'JP2001123400A'?"));
  EXPECT_THAT(outcome.err,
              HasSubstr("lines of the family map that give no family: 2, the first is '-1'"));
}

}  // namespace
}  // namespace prescope::testing
