// Colours and the updating progress line appear on a terminal, and nowhere else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kBold = "\x1b[1m";

Outcome on_terminal(const Workspace& workspace, std::map<std::string, std::string> environment) {
  return run_on_terminal({.arguments = {"replay", "experiment.toml"},
                          .environment = std::move(environment),
                          .folder = workspace.folder()});
}

TEST(Terminal, ColoursOnATerminal) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = on_terminal(workspace, {{"TERM", "xterm"}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr(kBold));
}

TEST(Terminal, NoColorIsHonoured) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = on_terminal(workspace, {{"TERM", "xterm"}, {"NO_COLOR", "1"}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("MAP@4"));
  EXPECT_THAT(outcome.out, Not(HasSubstr(kBold)));
}

TEST(Terminal, EmptyNoColorCountsAsNotSet) {
  const Workspace workspace(set_up_toy);
  EXPECT_THAT(on_terminal(workspace, {{"TERM", "xterm"}, {"NO_COLOR", ""}}).out, HasSubstr(kBold));
}

TEST(Terminal, DumbTerminalGetsNoColours) {
  const Workspace workspace(set_up_toy);
  EXPECT_THAT(on_terminal(workspace, {{"TERM", "dumb"}}).out, Not(HasSubstr(kBold)));
}

TEST(Terminal, NoEscapesElsewhere) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run({"replay", "experiment.toml"}, {{"TERM", "xterm"}});
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace prescope::testing
