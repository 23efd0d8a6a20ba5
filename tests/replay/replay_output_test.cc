// The files that a replay leaves: JSON, TREC runs; and that they say the same as the core does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "prescope/measure.h"
#include "prescope/qrels.h"
#include "runs/run_file.h"
#include "support/plain_evaluation.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ReplayOutput, RunsEvaluateToTheNumbersOfTheJson) {
  const Workspace workspace(set_up_toy);
  ASSERT_EQ(workspace
                .run({"replay", "experiment.toml", "--cutoffs", "1,4,5", "--json", "result.json",
                      "--runs-out", "runs"})
                .exit_code,
            0);
  const json rows = workspace.read_json("result.json")["summary"]["per_topic"];
  const Qrels qrels = Qrels::load(workspace.path("qrels.txt"), {.docno = DocnoPolicy::kPatent});
  for (const RunOrder order : {RunOrder::kFile, RunOrder::kTrec}) {
    for (const std::string arm : {"forward", "backward"}) {
      const auto evaluated =
          evaluate(qrels, load_run(workspace.path("runs/" + arm + ".run"), order));
      ASSERT_EQ(evaluated.size(), rows.size());
      for (std::size_t t = 0; t < rows.size(); ++t) {
        for (const auto& [name, score] : rows[t]["arms"][arm]["scores"].items()) {
          EXPECT_EQ(Measure::parse(name).score(evaluated[t].ranks()), score.get<double>())
              << arm << ' ' << rows[t]["topic"] << ' ' << name;
        }
      }
    }
  }
}

/// Writes judgements of 60 topics, five to a family. Topic T7 has no relevant document.
void write_many_topics(const Workspace& workspace) {
  std::string qrels, topics, families;
  for (int t = 0; t < 60; ++t) {
    for (int d = 1 + t % 3; d <= 5; d += 1 + t % 4) {
      qrels += fmt::format("T{} 0 EP000000{}A1 {}\n", t, d, t == 7 ? 0 : 1 + d % 2);
    }
    topics += fmt::format("T{}\ttext\n", t);
    families += fmt::format("T{} F{}\n", t, t / 5);
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("topics.tsv", topics);
  workspace.write("families.txt", families);
}

TEST(ReplayOutput, TheComparisonIsThatOfTheRuns) {
  const Workspace workspace(set_up_toy);
  write_many_topics(workspace);
  const std::string measures = "PRES@4,R@4,AP@4,nDCG@5";
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{}, {"--family-map", "families.txt"}}) {
    const auto run = [&](std::vector<std::string> command) {
      command.insert(command.end(), flags.begin(), flags.end());
      const Outcome outcome = workspace.run(std::move(command));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    };
    run({"replay", "experiment.toml", "--measures", measures, "--json", "replay.json", "--runs-out",
         "runs"});
    run({"compare", "qrels.txt", "runs/forward.run", "runs/backward.run", "-m", measures, "--docno",
         "patent", "--order", "file", "--json", "compare.json"});
    json replayed = workspace.read_json("replay.json")["comparison"];
    json compared = workspace.read_json("compare.json")["comparison"];
    // The words name the arms, and A and B.
    for (json* const each : {&replayed, &compared}) {
      each->erase("notes");
      each->erase("words");
      json& pair = each->at("pairs").at(0);
      EXPECT_GT(pair["moved"].size(), 1);
      for (const char* const name : {"a", "b", "words"}) pair.erase(name);
      for (json& measure : pair["measures"]) measure.erase("words");
    }
    EXPECT_EQ(replayed, compared);
  }
}

TEST(ReplayOutput, JsonNamesTheOptionsThatWereUsed) {
  const Workspace workspace(set_up_toy);
  ASSERT_EQ(
      workspace
          .run({"replay", "experiment.toml", "--json", "result.json", "--note", "synthetic data",
                "--category", "X=5", "--min-grade", "1", "--docno", "publication"})
          .exit_code,
      0);
  const json result = workspace.read_json("result.json");
  EXPECT_EQ(result["note"], "synthetic data");
  EXPECT_EQ(result["engine"], json({{"name", "toy"}, {"version", "1"}}));
  EXPECT_EQ(result["index"], json({{"path", "index"}, {"documents", 5}}));
  const json& options = result["options"];
  EXPECT_EQ(options["measures"], json({"PRES@4", "R@4", "AP@4"}));
  EXPECT_EQ(options["depth"], 5);
  EXPECT_EQ(options["threads"], 1);
  EXPECT_EQ(options["seed"], 1);
  EXPECT_EQ(options["qrels"], json({{"path", "qrels.txt"},
                                    {"docno", "publication"},
                                    {"family_map", nullptr},
                                    {"min_grade", 1},
                                    {"categories", {{"X", 5}}}}));
  EXPECT_EQ(options["topics"], json({{"source", "file"},
                                     {"path", "topics.tsv"},
                                     {"exclude", "none"},
                                     {"exclude_pairs", nullptr}}));
  EXPECT_EQ(options["arms"], json::array({{{"name", "forward"},
                                           {"engine", test_module("toy")},
                                           {"index", "index"},
                                           {"settings", json::object()}},
                                          {{"name", "backward"},
                                           {"engine", test_module("toy")},
                                           {"index", "index"},
                                           {"settings", {{"order", "backward"}}}}}));
  EXPECT_EQ(result["indexes"], json::array({{{"path", "index"},
                                             {"documents", 5},
                                             {"engine", {{"name", "toy"}, {"version", "1"}}}}}));
}

TEST(ReplayOutput, SettingsOfAnArmAreShownAsWritten) {
  const Workspace workspace(set_up_toy);
  workspace.write("experiment.toml",
                  workspace.read("experiment.toml") + "fail_on = 'x'\nobserve = 'yes'\n");
  const Outcome outcome =
      workspace.run({"replay", "experiment.toml", "--arm", "backward:fail_on=y"});
  EXPECT_THAT(outcome.out,
              HasSubstr("arm     backward: order = backward, fail_on = y, observe = yes\n"));
}

TEST(ReplayOutput, JsonOnStandardOutputTakesThePlaceOfTheTable) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(json::parse(outcome.out)["summary"]["experiment"], "toy");
  EXPECT_FALSE(workspace.has("-"));
}

TEST(ReplayOutput, TableGoesToStdoutAndProgressToStderr) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome =
      workspace.run({"replay", "experiment.toml", "--note", "synthetic: five patents"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("synthetic: five patents"));
  EXPECT_THAT(outcome.out, HasSubstr("MAP@4"));
  EXPECT_THAT(outcome.err, HasSubstr("2 topics in "));
  EXPECT_THAT(outcome.err, Not(HasSubstr("MAP@4")));
}

TEST(ReplayOutput, NumbersDoNotDependOnTheLocale) {
  const Workspace workspace(set_up_toy);
  const std::string locale = workspace.path("de_DE.UTF-8");
  if (std::system(("localedef -f UTF-8 -i de_DE '" + locale + "' > /dev/null 2>&1").c_str()) != 0) {
    GTEST_SKIP() << "no localedef with the sources of de_DE (package locales)";
  }
  const std::map<std::string, std::string> german = {{"LC_ALL", "de_DE.UTF-8"},
                                                     {"LOCPATH", workspace.folder()}};
  const Outcome outcome =
      workspace.run({"replay", "experiment.toml", "--json", "german.json"}, german);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0.6250"));
  ASSERT_EQ(workspace.run({"replay", "experiment.toml", "--json", "c.json"}).exit_code, 0);
  json in_german = workspace.read_json("german.json"), in_c = workspace.read_json("c.json");
  remove_times(in_german);
  remove_times(in_c);
  EXPECT_EQ(in_german, in_c);
}

TEST(ReplayOutput, FailedQueryLeavesNoOutput) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome =
      workspace.run({"replay", "experiment.toml", "--arm", "backward:fail_on=second", "--json",
                     "result.json", "--runs-out", "runs"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("prescope: topic 'T2', arm 'backward': the toy broke\n"));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_FALSE(workspace.has("result.json"));
  EXPECT_FALSE(workspace.has_unfinished_file());
  EXPECT_FALSE(workspace.has("runs"));
}

TEST(ReplayOutput, UnobservedQueriesAreAnError) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run(
      {"replay", "experiment.toml", "--arm", "backward:observe=no", "--json", "result.json"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("arm 'backward': 0 of 2 topics observed"));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_FALSE(workspace.has("result.json"));
}

TEST(ReplayOutput, UnwritableResultIsRefusedBeforeSearching) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome =
      workspace.run({"replay", "experiment.toml", "--json", "no-such-folder/result.json"},
                    {{"TOY_LOG", workspace.path("log")}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no-such-folder/result.json: cannot be written"));
  EXPECT_FALSE(workspace.has("log"));
}

TEST(ReplayOutput, FullDiskOnStdoutIsAnError) {
  const Workspace workspace;
  const Outcome outcome = run_program(
      {.arguments = {"explain", "PRES"}, .environment = {}, .folder = workspace.folder()});
  EXPECT_EQ(outcome.exit_code, 0);
  const std::string command =
      prescope_program() + " explain PRES > /dev/full 2> " + workspace.path("err").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(workspace.read("err"), HasSubstr("prescope: standard output: "));
}

}  // namespace
}  // namespace prescope::testing
