// pin and gate on replays: the facts that are kept, and the report on changed ids.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Outcome pin_toy(const Workspace& workspace, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"pin",   "nights.db", "--from", "experiment.toml",
                                        "--why", "x"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

json gate_toy(const Workspace& workspace, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"gate",   "nights.db", "--from", "experiment.toml",
                                        "--json", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = workspace.run(arguments);
  EXPECT_NE(outcome.out, "") << outcome.err;
  return json::parse(outcome.out);
}

// set_up_toy: PRES@4 forward of T1 (4 + 1 - 2) / 4, of T2 (4 + 1 - 1) / 8, EP5 being behind rank 4;
// backward of T1 (4 + 1 - 4) / 4, of T2 (4 + 1 - 1) / 8.
TEST(GateReplay, KeepsTheFactsOfOneArm) {
  const Workspace workspace(set_up_toy);
  ASSERT_EQ(pin_toy(workspace, {"--arm", "forward"}).exit_code, 0);
  const json result = gate_toy(workspace, {"--arm", "backward"});
  // Both measures lose as much as a gate accepts in one topic, and two topics tell nothing about
  // means.
  EXPECT_EQ(result["outcome"], "INCONCLUSIVE");
  const json& baseline = result["baseline"]["evaluation"];
  EXPECT_EQ(baseline["means"]["PRES@4"], json({{"mean", (0.75 + 0.5) / 2}, {"topics", 2}}));
  EXPECT_EQ(baseline["arm"], "forward");
  EXPECT_EQ(baseline["source"], "replay experiment.toml");
  EXPECT_EQ(baseline["depth"], 5);
  EXPECT_EQ(
      baseline["index"],
      json({{"engine", "toy"},
            {"engine_version", "1"},
            {"path", "index"},
            {"documents", 5},
            {"judged_found", 3},  // EP2, EP1 and EP5
            {"passport", {{"analyzer", nullptr}, {"fields", nullptr}, {"checksum", nullptr}}}}));
  EXPECT_EQ(baseline["qrels"]["docno_policy"], "patent");
  const json& tonight = result["tonight"];
  EXPECT_EQ(tonight["means"]["PRES@4"], json({{"mean", (0.25 + 0.5) / 2}, {"topics", 2}}));
  EXPECT_THAT(tonight["config"].get<std::string>(),
              AllOf(HasSubstr("[[arms]]"), HasSubstr("name = 'backward'"),
                    HasSubstr("order = 'backward'")));
  // T2 swaps its documents: one is lost, the other gained.
  EXPECT_EQ(result["topics"].size(), 2);
}

TEST(GateReplay, SearchesTheIndexOfTheFlag) {
  const Workspace workspace(set_up_toy);
  ASSERT_EQ(pin_toy(workspace, {"--arm", "forward"}).exit_code, 0);
  workspace.write("tonight.jsonl", workspace.read("documents.jsonl"));
  ASSERT_EQ(
      workspace.run({"index", "--engine", test_module("toy"), "--out", "tonight", "tonight.jsonl"})
          .exit_code,
      0);
  const json result = gate_toy(workspace, {"--arm", "forward", "--index", "tonight"});
  EXPECT_EQ(result["identical"], true);
  EXPECT_EQ(result["tonight"]["index"]["path"], "tonight");
}

TEST(GateReplay, SeveralArmsNeedTheArmFlag) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = pin_toy(workspace);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("experiment.toml has 2 arms: forward, backward; say with "
                                     "--arm which of them is meant"));
  EXPECT_THAT(pin_toy(workspace, {"--arm", "foward"}).err,
              HasSubstr("--arm: unknown arm 'foward'; did you mean 'forward'?"));
  EXPECT_FALSE(workspace.has("nights.db"));
}

TEST(GateReplay, MarksTopicsThatWereNotRun) {
  const Workspace workspace(set_up_toy);
  ASSERT_EQ(pin_toy(workspace, {"--arm", "forward"}).exit_code, 0);
  workspace.write("topics.tsv", "T1\tfirst\n");
  const json result = gate_toy(workspace, {"--arm", "forward"});
  EXPECT_EQ(result["outcome"], "BAD INPUT");
  EXPECT_EQ(result["exit_code"], 2);
}

#ifdef OWN_ENGINE_MODULE
/// An experiment on an index of the example engine, which has no stored fields.
void set_up_own(const Workspace& workspace) {
  workspace.write("index.txt",
                  "EP1000001A1\tvalve seat\nEP1000002A1\tvalve pump\nEP1000003A1\tlens\n");
  workspace.write("qrels.txt", "T1 0 EP1000002A1 1\nT2 0 EP1000003A1 1\nT2 0 EP1000009A1 1\n");
  workspace.write("topics.tsv", "T1\tvalve\nT2\tlens\n");
  workspace.write("experiment.toml", "engine = '" OWN_ENGINE_MODULE
                                     "'\nindex = 'index.txt'\ncutoffs = [4]\n"
                                     "[qrels]\npath = 'qrels.txt'\n"
                                     "[topics]\nsource = 'file'\npath = 'topics.tsv'\n"
                                     "[[arms]]\nname = 'own'\n");
}

const json& rule_of(const json& verdict, std::string_view id) {
  for (const json& rule : verdict["rules"]) {
    if (rule["id"] == id) return rule;
  }
  throw std::out_of_range(std::string(id));
}

// What the index has is said by the resolved table, not by stored fields.
TEST(GateReplay, UnchangedIndexWithoutStoredFieldsIsNoBadInput) {
  const Workspace workspace(set_up_own);
  ASSERT_EQ(pin_toy(workspace).exit_code, 0);
  const json result = gate_toy(workspace, {});
  EXPECT_EQ(result["identical"], true);
  EXPECT_EQ(result["tonight"]["index"]["judged_found"], 2);
  const json& rule = rule_of(result, "input.judged_found");
  EXPECT_EQ(rule["status"], "pass") << rule;
}

TEST(GateReplay, DocumentsThatLeftAnIndexWithoutStoredFieldsAreNamed) {
  const Workspace workspace(set_up_own);
  ASSERT_EQ(pin_toy(workspace).exit_code, 0);
  workspace.write("index.txt",
                  "EP1000001A1\tvalve seat\nEP1000004A1\tvalve pump\nEP1000003A1\tlens\n");
  const json result = gate_toy(workspace, {});
  EXPECT_EQ(result["tonight"]["index"]["judged_found"], 1);
  const json& rule = rule_of(result, "input.judged_found");
  EXPECT_EQ(rule["status"], "bad_input") << rule;
  EXPECT_THAT(rule["reason"].get<std::string>(), HasSubstr("gone are EP1000002A1"));
}
#endif

// Of an engine that reports docnos, the call that a module answers.
TEST(GateReplay, DocumentsThatLeftTheIndexOfAnEngineThatReportsDocnosAreBadInput) {
  const Workspace workspace(set_up_toy);
  ASSERT_EQ(pin_toy(workspace, {"--arm", "forward"}).exit_code, 0);
  std::string documents = workspace.read("documents.jsonl");
  documents.erase(documents.rfind('{'));
  workspace.write("fewer.jsonl", documents);
  ASSERT_EQ(
      workspace.run({"index", "--engine", test_module("toy"), "--out", "fewer", "fewer.jsonl"})
          .exit_code,
      0);
  const json result = gate_toy(workspace, {"--arm", "forward", "--index", "fewer"});
  EXPECT_EQ(result["outcome"], "BAD INPUT");
  EXPECT_EQ(result["tonight"]["index"]["judged_found"], 2);
}

/// Documents whose kind code is `kind`, each found by its title alone, and an experiment on them.
void set_up_kind(const Workspace& workspace, const std::string& kind) {
  std::string documents, qrels, topics;
  for (int i = 1; i <= 5; ++i) {
    const std::string number = "EP100000" + std::to_string(i);
    documents +=
        R"({"id": ")" + number + kind + R"(", "title": "word)" + std::to_string(i) + "\"}\n";
    qrels += "T" + std::to_string(i) + " 0 " + number + "A1 1\n";
    topics += "T" + std::to_string(i) + "\tword" + std::to_string(i) + "\n";
  }
  workspace.write(kind + ".jsonl", documents);
  workspace.write("qrels.txt", qrels);
  workspace.write("topics.tsv", topics);
  const Outcome indexed =
      workspace.run({"index", "--engine", "lucenepp", "--out", kind, kind + ".jsonl"});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
}

TEST(GateReplay, ChangedKindCodesAreAnIdProblem) {
#if !PRESCOPE_HAS_TWO_ENGINES
  GTEST_SKIP() << "built without Lucene++ or Xapian";
#endif
  const Workspace workspace;
  set_up_kind(workspace, "A1");
  set_up_kind(workspace, "B2");
  workspace.write("experiment.toml", R"(engine = 'lucenepp'
index = 'A1'
cutoffs = [10]
[qrels]
path = 'qrels.txt'
docno = 'publication'
[topics]
path = 'topics.tsv'
[[arms]]
name = 'tfidf'
)");
  ASSERT_EQ(pin_toy(workspace).exit_code, 0) << pin_toy(workspace).err;
  const json result = gate_toy(workspace, {"--index", "B2"});
  EXPECT_EQ(result["outcome"], "BAD INPUT");
  EXPECT_EQ(result["baseline"]["evaluation"]["index"]["judged_found"], 5);
  EXPECT_EQ(result["tonight"]["index"]["judged_found"], 0);
  EXPECT_EQ(result["tonight"]["docno_hint"],
            json({{"docno_policy", "patent"}, {"judged", 5}, {"matched", 0}, {"would_match", 5}}));
  EXPECT_EQ(result["measures"], json::array());
  std::string reasons;
  for (const json& rule : result["rules"]) {
    if (rule["status"] == "bad_input") reasons += rule["reason"].get<std::string>();
  }
  EXPECT_THAT(reasons, AllOf(HasSubstr("not a ranking regression"), HasSubstr("patent")));
}

/// `set_up_toy` with more topics, and an arm that waits in each search.
void set_up_waiting(const Workspace& workspace, int wait_us, int num_topics = 60) {
  set_up_toy(workspace);
  std::string qrels, topics;
  for (int i = 0; i < num_topics; ++i) {
    qrels += "T" + std::to_string(i) + " 0 EP0000002A1 1\n";
    topics += "T" + std::to_string(i) + "\tfirst\n";
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("topics.tsv", topics);
  workspace.write("experiment.toml",
                  workspace.read("experiment.toml") +
                      "\n[[arms]]\nname = 'waits'\nwait_us = " + std::to_string(wait_us) + "\n");
}

json rule_in(const json& result, const std::string& id) {
  for (const json& rule : result["rules"]) {
    if (rule["id"] == id) return rule;
  }
  ADD_FAILURE() << "no rule " << id;
  return {};
}

// Searches of 1 ms, then of 4 ms: on a busy machine both wait longer, but one after the other.
TEST(GateReplay, TimesTheBaselineBesideTonight) {
  const Workspace workspace;
  set_up_waiting(workspace, 1000);
  ASSERT_EQ(pin_toy(workspace, {"--arm", "waits"}).exit_code, 0);
  const json same = gate_toy(workspace, {"--arm", "waits"});
  EXPECT_NE(same["latency"]["baseline_p95_ms"], nullptr);
  EXPECT_EQ(same["latency"]["pairs"], 60);
  EXPECT_NE(rule_in(same, "latency.ratio")["status"], "fail");

  set_up_waiting(workspace, 4000);
  std::filesystem::rename(workspace.path("index"), workspace.path("kept"));
  const json slow =
      gate_toy(workspace, {"--arm", "waits", "--index", "kept", "--baseline-index", "kept"});
  EXPECT_EQ(slow["latency"]["pairs"], 60);
  EXPECT_EQ(rule_in(slow, "latency.ratio")["status"], "fail") << slow["latency"];
  EXPECT_EQ(slow["outcome"], "REGRESSION");
}

TEST(GateReplay, TimesTheBaselineOnSomeOfManyTopics) {
  const Workspace workspace;
  for (const int topics : {400, 401, 800}) {
    set_up_waiting(workspace, 0, topics);
    ASSERT_EQ(pin_toy(workspace, {"--arm", "waits"}).exit_code, 0);
    const json same = gate_toy(workspace, {"--arm", "waits"});
    EXPECT_EQ(same["latency"]["pairs"], 400) << topics << rule_in(same, "latency.ratio");
  }
}

TEST(GateReplay, BaselineThatIsNotAtHandIsNotTimed) {
  const Workspace workspace;
  set_up_waiting(workspace, 0);
  ASSERT_EQ(pin_toy(workspace, {"--arm", "waits"}).exit_code, 0);
  const auto reason = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--arm", "waits", "--dry-run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json result = gate_toy(workspace, arguments);
    EXPECT_EQ(result["latency"]["pairs"], 0);
    return rule_in(result, "latency.ratio")["reason"].get<std::string>();
  };
  EXPECT_THAT(reason({"--baseline-index", "none"}), HasSubstr("could not be searched"));
  // The index was made again in its place, and the clock of the file system goes in steps.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  workspace.write("index/toy-documents.tsv", workspace.read("index/toy-documents.tsv"));
  EXPECT_THAT(reason({}),
              AllOf(HasSubstr("at 'index' has changed since"),
                    HasSubstr("Accepted nights since the baseline that were timed: 1")));
  std::filesystem::rename(workspace.path("index"), workspace.path("moved"));
  EXPECT_THAT(reason({"--index", "moved"}), HasSubstr("is not at 'index' any more"));
  const Outcome run =
      workspace.run({"gate", "nights.db", "--from", "1", "--baseline-index", "moved"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--baseline-index has a meaning only if tonight is a replay"));
}

}  // namespace
}  // namespace prescope::testing
