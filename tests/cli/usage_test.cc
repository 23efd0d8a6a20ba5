#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::array kCommands = {"evaluate",  "compare",    "study",  "explain", "convert",
                                  "trec_eval", "index",      "replay", "log",     "pin",
                                  "gate",      "history",    "serve",  "prune",   "ship",
                                  "fleet",     "completion", "man"};

Outcome run(std::vector<std::string> arguments) {
  return run_program({.arguments = std::move(arguments), .environment = {}});
}

TEST(Usage, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "prescope 0.1.0\n");
}

/// The words that a shell offers for the last one, without their descriptions.
std::string offered(std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  std::string offered;
  std::istringstream lines(run(std::move(words)).out);
  for (std::string line; std::getline(lines, line);) {
    offered += line.substr(0, line.find('\t')) + ' ';
  }
  return offered;
}

TEST(Usage, CompletionOffersCommandsOptionsAndTheirWords) {
  EXPECT_EQ(offered({"ga"}), "gate ");
  EXPECT_THAT(offered({}), HasSubstr("evaluate compare plan study "));
  EXPECT_EQ(offered({"gate", "--ba"}), "--baseline --baseline-index ");
  EXPECT_THAT(offered({"gate", "-"}), HasSubstr("-m --measures "));
  EXPECT_EQ(offered({"study", "cu"}), "cutoffs curve ");
  EXPECT_EQ(offered({"convert", "x", "--from", "c"}), "clefip ");
  EXPECT_EQ(offered({"convert", "--from", "=", "c"}), "clefip ");  // as bash splits it
  EXPECT_EQ(offered({"convert", "--from=c"}), "--from=clefip ");
  EXPECT_EQ(offered({"completion", ""}), "bash zsh fish ");
  EXPECT_EQ(offered({"gate", "--json", ""}), "");                       // a file
  EXPECT_EQ(offered({"index", "--out", "gate", "--en"}), "--engine ");  // a value, no command
  EXPECT_EQ(offered({"trec_eval", "--q"}), "--query_eval_wanted ");
  EXPECT_EQ(offered({"fleet", "resume", "--b"}), "--by ");  // another name of `arm`
}

TEST(Usage, EveryHelpHasAnExample) {
  std::vector<std::vector<std::string>> commands = {{"--help"}};
  for (const char* command : kCommands) commands.push_back({command, "--help"});
  for (const std::vector<std::string>& command : commands) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out,
                AnyOf(HasSubstr("Example:\n  prescope "), HasSubstr("Examples:\n  prescope ")))
        << command.front();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST(Usage, HelpListsEveryCommand) {
  const Outcome outcome = run({"--help"});
  for (const char* command : kCommands) {
    EXPECT_THAT(outcome.out, HasSubstr(fmt::format("\n  {:<28}", command)));
  }
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\n  prescope evaluate "), HasSubstr("\n  prescope compare ")));
}

TEST(Usage, HelpHasNoPlaceholdersOfTheParser) {
  for (const char* command : kCommands) {
    EXPECT_THAT(run({command, "--help"}).out, Not(HasSubstr("N:"))) << command;
  }
}

TEST(Usage, HelpMarksRequiredAndRepeatableArguments) {
  EXPECT_THAT(run({"evaluate", "--help"}).out,
              HasSubstr("Usage: prescope evaluate [OPTIONS] QRELS RUN...\n"));
  EXPECT_THAT(run({"replay", "--help"}).out, HasSubstr("[OPTIONS] [EXPERIMENT]\n"));
  EXPECT_THAT(run({"replay", "--help"}).out, HasSubstr("--category X=3 ..."));
}

/// The measures that explain prints without -m; ExplainTopic tests that it does.
TEST(Usage, HelpOfExplainNamesItsOwnMeasures) {
  EXPECT_THAT(run({"explain", "--help"}).out, HasSubstr("(PRES@100,R@100,AP@100)\n"));
}

TEST(Usage, HelpWinsOverOtherErrors) {
  const Outcome outcome = run({"evaluate", "--threads", "none", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Usage: prescope evaluate"));
}

TEST(Usage, WithoutACommandTheHelpGoesToStderr) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("replay"));
}

TEST(Usage, FlagThatMayRepeatDoesNotSwallowTheNextArgument) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run(
      {"replay", "--category", "X=3", "--arm", "forward:order=forward", "experiment.toml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(Usage, LastOfARepeatedFlagCounts) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--json", "a.json", "--json",
                                         "b.json", "--seed", "1", "--seed", "2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(workspace.has("a.json"));
  EXPECT_EQ(workspace.read_json("b.json")["options"]["seed"], 2);
}

void write_one_hit(const Workspace& workspace, std::string_view run_name) {
  workspace.write("qrels.txt", "T1 0 A 1\n");
  workspace.write(run_name, "T1 Q0 A 1 1 x\n");
}

TEST(Usage, FileMayBeNamedLikeACommand) {
  const Workspace workspace;
  write_one_hit(workspace, "compare");
  const Outcome outcome = workspace.run({"evaluate", "qrels.txt", "compare", "-m", "AP"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("compare"));
}

TEST(Usage, MeasuresGivenOneByOneAddUp) {
  const Workspace workspace;
  write_one_hit(workspace, "x.run");
  const auto evaluate = [&](std::vector<std::string> measures) {
    measures.insert(measures.begin(), {"evaluate", "qrels.txt", "x.run"});
    return workspace.run(std::move(measures));
  };
  const Outcome outcome = evaluate({"-m", "PRES@100", "--measures=AP", "-mP@10,RR"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, evaluate({"-m", "PRES@100,AP,P@10,RR"}).out);
}

}  // namespace
}  // namespace prescope::testing
