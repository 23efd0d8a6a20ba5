#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome run(std::vector<std::string> arguments) {
  return run_program({.arguments = std::move(arguments), .environment = {}});
}

TEST(Usage, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "prescope 0.1.0\n");
}

TEST(Usage, EveryHelpHasAnExample) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"--help"}, {"index", "--help"}, {"replay", "--help"}, {"explain", "--help"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Example:\n  prescope ")) << command.front();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST(Usage, WithoutACommandTheHelpGoesToStderr) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("replay"));
}

struct Misuse {
  const char* name;
  std::vector<std::string> arguments;
  const char* answer;
};

class MisuseOfTheCommandLine : public ::testing::TestWithParam<Misuse> {};

TEST_P(MisuseOfTheCommandLine, IsAnsweredAndExitsWithTwo) {
  const Outcome outcome = run(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().answer));
}

INSTANTIATE_TEST_SUITE_P(
    Usage, MisuseOfTheCommandLine,
    ::testing::Values(
        Misuse{"UnknownCommand",
               {"replya", "x.toml"},
               "prescope: unknown command 'replya'; did you mean 'replay'?"},
        Misuse{"UnknownFlag",
               {"replay", "x.toml", "--thread=2"},
               "prescope: unknown option '--thread'; did you mean '--threads'?"},
        Misuse{"UnknownFlagBeforeARequiredOne",
               {"index", "--engin", "toy", "--out", "x", "y"},
               "prescope: unknown option '--engin'; did you mean '--engine'?"},
        Misuse{"UnknownFlagOfTheProgram",
               {"--verson"},
               "prescope: unknown option '--verson'; did you mean '--version'?"},
        Misuse{"MissingRequiredFlag", {"index", "documents.jsonl"}, "see 'prescope index --help'"},
        Misuse{"FlagWithoutItsValue", {"replay", "x.toml", "--json"}, "prescope: --json"},
        Misuse{"SecondExperiment",
               {"replay", "x.toml", "y.toml"},
               "prescope: unexpected argument 'y.toml'; see 'prescope replay --help'"},
        Misuse{"NoExperiment", {"replay"}, "prescope: no experiment file"},
        Misuse{"UnknownMeasure",
               {"explain", "PRSE"},
               "prescope: unknown measure 'PRSE'; did you mean 'PRES'?"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Usage, FlagThatMayRepeatDoesNotSwallowTheNextArgument) {
  const Workspace workspace;
  set_up_toy(workspace);
  const Outcome outcome = workspace.run(
      {"replay", "--category", "X=3", "--arm", "forward:order=forward", "experiment.toml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(Usage, LastOfARepeatedFlagCounts) {
  const Workspace workspace;
  set_up_toy(workspace);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--json", "a.json", "--json",
                                         "b.json", "--seed", "1", "--seed", "2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(workspace.has("a.json"));
  EXPECT_EQ(workspace.read_json("b.json")["options"]["seed"], 2);
}

}  // namespace
}  // namespace prescope::testing
