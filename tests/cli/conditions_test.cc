// Every option of evaluate, pin and replay that can change a number is compared by the gate, or
// stands in the result. A new option fails these tests until it is classified.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/nights_workspace.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Returns the options and arguments that the help of a command lists.
std::set<std::string> options_of(const std::string& command) {
  const std::string help = run_program({.arguments = {command, "--help"}, .environment = {}}).out;
  const std::regex option("\n  (?:-[a-z],)?(--[a-z-]+|[A-Z]+)");
  std::set<std::string> names;
  for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) {
    names.insert((*at)[1]);
  }
  return names;
}

template <class Classified>
void expect_all_classified(const std::string& command, const Classified& classified) {
  std::set<std::string> names;
  for (const auto& [name, what] : classified) names.insert(name);
  EXPECT_EQ(options_of(command), names)
      << "say for each option which rule names it, or why it cannot change a number";
}

/// What happens if an option of tonight differs from the baseline's.
struct Changed {
  std::vector<std::string> arguments{};  ///< in addition; none: it cannot change a number
  /// The rule that is bad input or warns; part of a refusal; or why it cannot change a number.
  std::string named_by{};
};

json rule_of(const json& verdict, const std::string& id) {
  for (const json& rule : verdict["rules"]) {
    if (rule["id"] == id) return rule;
  }
  return {};
}

/// Expects that the gate is not silent about the change.
void expect_named(const Outcome& outcome, const Changed& changed) {
  if (!changed.named_by.starts_with("input.")) {
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(changed.named_by));
    return;
  }
  ASSERT_NE(outcome.out, "") << outcome.err;
  const json rule = rule_of(json::parse(outcome.out), changed.named_by);
  EXPECT_TRUE(rule["status"] == "bad_input" || rule["status"] == "warning") << rule;
}

constexpr const char* kNoNumber = "writes or names results only";

const std::map<std::string, Changed> kOfPin = {
    {"STORE", {{}, "the place of the baseline"}},
    {"--from", {{}, "what is evaluated tonight, and may differ"}},
    {"--qrels", {{"--qrels", "other.txt"}, "input.qrels"}},
    {"--docno", {{"--docno", "publication"}, "was made with docno policy raw"}},
    {"--family-map", {{"--docno", "family", "--family-map", "map"}, "docno policy raw"}},
    {"--min-grade", {{"--min-grade", "2"}, "input.qrels"}},
    {"--rule", {{"--rule", "examiner"}, "has no meaning for a qrels file"}},
    {"--category", {{"--category", "X=5"}, "input.conditions"}},
    {"--measures", {{}, "the gate scores both nights by the baseline's measures"}},
    {"--depth", {{"--depth", "5"}, "input.depth"}},
    {"--order", {{"--order", "file"}, "input.conditions"}},
    {"--score", {{"--score", "float"}, "input.conditions"}},
    {"--arm", {{}, "of a replay; see the options of replay"}},
    {"--engine", {{}, "of a replay; see the options of replay"}},
    {"--index", {{}, "of a replay; see the options of replay"}},
    {"--threads", {{}, "rankings do not depend on it"}},
    {"--name", {{}, kNoNumber}},
    {"--why", {{}, kNoNumber}},
    {"--must-find", {{}, "kept with the pin, and checked every night"}},
    {"--force", {{}, kNoNumber}},
    {"--list", {{}, kNoNumber}},
    {"--help", {{}, kNoNumber}}};

TEST(Conditions, TheGateNamesEveryChangedOptionOfARun) {
  expect_all_classified("pin", kOfPin);
  const Workspace workspace;
  pin_base(workspace);
  workspace.write("other.txt", workspace.read("qrels.txt") + "T001 0 C001 1\n");
  workspace.write("map", "A001 1\nB001 2\n");
  for (const auto& [option, changed] : kOfPin) {
    SCOPED_TRACE(option);
    EXPECT_NE(changed.named_by, "");
    if (changed.arguments.empty()) continue;
    std::vector<std::string> arguments = {"gate",     "nights.db", "--dry-run", "--from",
                                          "base.run", "--json",    "-"};
    if (option != "--qrels") arguments.insert(arguments.end(), {"--qrels", "qrels.txt"});
    arguments.insert(arguments.end(), changed.arguments.begin(), changed.arguments.end());
    expect_named(workspace.run(arguments), changed);
  }
}

/// A line of the experiment file that is replaced; empty: one is added before the tables.
struct Edit {
  std::string from{}, to{};
  std::string named_by{};
};

constexpr const char* kOrderOnly = "orders the arms in time, which rankings do not depend on";

const std::map<std::string, Edit> kOfReplay = {
    {"EXPERIMENT", {.named_by = "what is evaluated tonight"}},
    {"--name", {.named_by = kNoNumber}},
    {"--note", {.named_by = kNoNumber}},
    {"--engine", {.named_by = "input.arm: the engine is one of the conditions of an arm"}},
    {"--index", {"index = 'index'", "index = 'fewer'", "input.judged_found"}},
    {"--cutoffs", {.named_by = "the gate scores both nights by the baseline's measures"}},
    {"--measures", {.named_by = "the gate scores both nights by the baseline's measures"}},
    {"--depth", {.named_by = "input.depth, if a rule reads so far; a smaller one is refused"}},
    {"--threads", {.named_by = "rankings do not depend on it"}},
    {"--seed", {.named_by = kOrderOnly}},
    {"--qrels", {"path = 'qrels.txt'", "path = 'other.txt'", "input.qrels"}},
    {"--docno", {"[qrels]", "[qrels]\ndocno = 'raw'", "made with docno policy patent"}},
    {"--family-map",
     {"[qrels]", "[qrels]\ndocno = 'family'\nfamily_map = 'map'", "made with docno policy patent"}},
    {"--min-grade", {"[qrels]", "[qrels]\nmin_grade = 0", "input.qrels"}},
    {"--rule", {"[qrels]", "[qrels]\nrule = 'examiner'", "has no meaning for a qrels file"}},
    {"--category", {"[qrels]", "[qrels]\ncategories = {X = 5}", "input.conditions"}},
    {"--topics-source",
     {"[topics]\npath = 'topics.tsv'", "[topics]\nsource = 'documents'", "input.conditions"}},
    {"--topics", {"path = 'topics.tsv'", "path = 'others.tsv'", "input.texts"}},
    {"--exclude", {"[topics]", "[topics]\nexclude = 'self'", "input.conditions"}},
    {"--exclude-pairs", {"[topics]", "[topics]\nexclude_pairs = 'pairs'", "input.conditions"}},
    {"--slices", {.named_by = "adds values, and changes none"}},
    {"--slice-by", {.named_by = "adds values, and changes none"}},
    {"--arms", {.named_by = "each evaluation is of one arm"}},
    {"--arm", {"name = 'forward'", "name = 'forward'\norder = 'forward'", "input.arm"}},
    {"--json", {.named_by = kNoNumber}},
    {"--html", {.named_by = kNoNumber}},
    {"--runs-out", {.named_by = kNoNumber}},
    {"--store", {.named_by = kNoNumber}},
    {"--log", {.named_by = kNoNumber}},
    {"--serve", {.named_by = kNoNumber}},
    {"--port", {.named_by = kNoNumber}},
    {"--help-arms", {.named_by = kNoNumber}},
    {"--help", {.named_by = kNoNumber}}};

/// The toy experiment with a document as a topic, and files for the changes.
void set_up_replays(const Workspace& workspace) {
  set_up_toy(workspace);
  workspace.write("qrels.txt", workspace.read("qrels.txt") + "EP0000003A1 0 EP0000005A1 1\n");
  workspace.write("topics.tsv", "T1\tfirst\nT2\tsecond\nEP0000003A1\tthird\n");
  workspace.write("other.txt", workspace.read("qrels.txt") + "T1 0 EP0000004A1 1\n");
  workspace.write("others.tsv", "T1\tfirst\nT2\tother\nEP0000003A1\tthird\n");
  workspace.write("pairs", "T1 EP0000001A1\n");
  workspace.write("map", "EP0000001 1\n");
  std::string documents = workspace.read("documents.jsonl");
  documents.erase(documents.rfind('{'));
  workspace.write("fewer.jsonl", documents);
  ASSERT_EQ(
      workspace.run({"index", "--engine", test_module("toy"), "--out", "fewer", "fewer.jsonl"})
          .exit_code,
      0);
  ASSERT_EQ(
      workspace
          .run({"pin", "nights.db", "--from", "experiment.toml", "--arm", "forward", "--why", "x"})
          .exit_code,
      0);
}

TEST(Conditions, TheGateNamesEveryChangedOptionOfAReplay) {
  expect_all_classified("replay", kOfReplay);
  const Workspace workspace(set_up_replays);
  const std::string experiment = workspace.read("experiment.toml");
  for (const auto& [option, edit] : kOfReplay) {
    SCOPED_TRACE(option);
    EXPECT_NE(edit.named_by, "");
    if (edit.from.empty()) continue;
    std::string changed = experiment;
    const auto at = changed.find(edit.from);
    ASSERT_NE(at, changed.npos);
    changed.replace(at, edit.from.size(), edit.to);
    workspace.write("changed.toml", changed);
    const Outcome outcome = workspace.run({"gate", "nights.db", "--dry-run", "--from",
                                           "changed.toml", "--arm", "forward", "--json", "-"});
    expect_named(outcome, {.named_by = edit.named_by});
  }
}

/// What `evaluate --format json` says of an option.
const std::map<std::string, Changed> kOfEvaluate = {
    {"QRELS", {{}, "the JSON names it"}},
    {"RUN", {{}, "the JSON names it"}},
    {"--measures", {{"-m", "P@5"}, "measures"}},
    {"--order", {{"--order", "file"}, "options"}},
    {"--score", {{"--score", "float"}, "options"}},
    {"--docno", {{"--docno", "patent"}, "qrels"}},
    {"--family-map", {{}, "the policy that reads it is in the JSON"}},
    {"--min-grade", {{"--min-grade", "2"}, "qrels"}},
    {"--collapse", {{"--docno", "patent", "--collapse"}, "qrels"}},
    {"--rule", {{}, "of a citation store; the JSON names it as qrels.rule"}},
    {"--category", {{"--category", "X=5"}, "qrels"}},
    {"--depth", {{"--depth", "5"}, "options"}},
    {"--judged-only", {{"--judged-only"}, "options"}},
    {"--topics", {{"--topics", "run"}, "options"}},
    {"--threads", {{}, "the scores do not depend on it"}},
    {"--ties", {{}, "adds values, and changes none"}},
    {"--slices", {{}, "adds values, and changes none"}},
    {"--slice-by", {{}, "adds values, and changes none"}},
    {"--per-topic", {{}, kNoNumber}},
    {"--format", {{}, kNoNumber}},
    {"--names", {{}, kNoNumber}},
    {"--output", {{}, kNoNumber}},
    {"--help", {{}, kNoNumber}}};

TEST(Conditions, TheResultOfEvaluateNamesEveryOption) {
  expect_all_classified("evaluate", kOfEvaluate);
  const Workspace workspace;
  pin_base(workspace);
  const std::vector<std::string> plain = {"evaluate", "qrels.txt", "base.run", "--format", "json"};
  const json before = json::parse(workspace.run(plain).out);
  for (const auto& [option, changed] : kOfEvaluate) {
    SCOPED_TRACE(option);
    EXPECT_NE(changed.named_by, "");
    if (changed.arguments.empty()) continue;
    std::vector<std::string> arguments = plain;
    arguments.insert(arguments.end(), changed.arguments.begin(), changed.arguments.end());
    const json after = json::parse(workspace.run(arguments).out);
    EXPECT_NE(after[changed.named_by], before[changed.named_by]) << after[changed.named_by];
  }
}

// The run order of the two nights differs, and no other check could see it.
TEST(Conditions, AnotherOrderOfTheSameRunIsBadInput) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 d2 1\n");
  workspace.write("a.run", "T1 Q0 d1 1 0.1 x\nT1 Q0 d2 2 0.3 x\nT1 Q0 d3 3 0.2 x\n");
  ASSERT_EQ(run_night(workspace, "pin", "a.run", {"--order", "file", "--why", "x"}).exit_code, 0);
  const Outcome gated = run_night(workspace, "gate", "a.run", {"--json", "-"});
  EXPECT_EQ(gated.exit_code, 2);
  const json rule = rule_of(json::parse(gated.out), "input.conditions");
  EXPECT_EQ(rule["status"], "bad_input");
  EXPECT_THAT(rule["reason"].get<std::string>(), HasSubstr("run.order was file and is trec"));
}

}  // namespace
}  // namespace prescope::testing
