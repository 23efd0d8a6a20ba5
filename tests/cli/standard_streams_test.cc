// Standard streams that are closed or full end the program with a code, never with a signal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

using Words = std::vector<std::string>;

Outcome run_with(const Workspace& workspace, const Words& arguments,
                 const std::string& redirection) {
  Words words = {"-c", R"(exec "$0" "$@" )" + redirection, prescope_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program({.arguments = std::move(words),
                      .environment = {},
                      .folder = workspace.folder(),
                      .program = "/bin/sh"});
}

/// A command, and its exit code if stdout or stderr cannot be written.
struct RedirectedCommand {
  const char* name;
  Words arguments;
  int exit_code;       ///< without redirection
  int without_stdout;  ///< also what `>&-` gives
  int without_stderr;
};

const std::vector<RedirectedCommand>& redirected_commands() {
  static const std::vector<RedirectedCommand> all = {
      {"usage error", {"replya"}, 2, 2, 2},
      {"several errors", {"evaluate", "q", "r", "--threads", "0", "--depth", "x"}, 2, 2, 2},
      {"input error", {"evaluate", "missing.txt", "x.run"}, 2, 2, 2},
      {"help on stderr", {}, 2, 2, 2},
      {"help", {"--help"}, 0, 2, 0},
      {"help of a command", {"gate", "--help"}, 0, 2, 0},
      {"version", {"--version"}, 0, 2, 0},
      {"help of trec_eval", {"trec_eval", "-h"}, 0, 2, 0},
      {"error of trec_eval", {"trec_eval", "-Y"}, 2, 2, 2},
      {"result", {"explain", "PRES"}, 0, 2, 0},
      {"result and notes", {"evaluate", "qrels.txt", "x.run", "--format", "tsv"}, 0, 2, 2},
      {"result and progress", {"replay", "experiment.toml"}, 0, 2, 0}};
  return all;
}

Workspace& set_up_streams(Workspace& workspace) {
  set_up_toy(workspace);
  workspace.write("x.run", "T1 Q0 EP0000002A1 1 1 x\nT9 Q0 A 1 1 x\n");
  return workspace;
}

TEST(StandardStreams, StderrThatCannotBeWrittenAbortsNothing) {
  Workspace workspace;
  set_up_streams(workspace);
  for (const RedirectedCommand& each : redirected_commands()) {
    for (const char* redirection : {"2>/dev/full", "2>&-"}) {
      const Outcome outcome = run_with(workspace, each.arguments, redirection);
      EXPECT_EQ(outcome.exit_code, each.without_stderr) << each.name << ' ' << redirection;
      EXPECT_EQ(outcome.out.empty(), each.exit_code != 0) << each.name << ' ' << redirection;
    }
  }
}

TEST(StandardStreams, StdoutThatCannotBeWrittenIsNamed) {
  Workspace workspace;
  set_up_streams(workspace);
  for (const RedirectedCommand& each : redirected_commands()) {
    for (const char* redirection : {">/dev/full", ">&-"}) {
      const Outcome outcome = run_with(workspace, each.arguments, redirection);
      EXPECT_EQ(outcome.exit_code, each.without_stdout) << each.name << ' ' << redirection;
      if (each.exit_code == 0) {
        EXPECT_THAT(outcome.err, HasSubstr("prescope: standard output: ")) << each.name;
      }
    }
    const Outcome outcome = run_with(workspace, each.arguments, ">/dev/full 2>&1");
    EXPECT_EQ(outcome.exit_code, 2) << each.name;
    EXPECT_EQ(run_with(workspace, each.arguments, "<&- >&- 2>&-").exit_code, 2) << each.name;
  }
}

TEST(StandardStreams, ClosedStdinIsAnErrorOnlyForWhatReadsIt) {
  Workspace workspace;
  set_up_streams(workspace);
  for (const RedirectedCommand& each : redirected_commands()) {
    EXPECT_EQ(run_with(workspace, each.arguments, "<&-").exit_code, each.exit_code) << each.name;
  }
  const Outcome outcome = run_with(workspace, {"evaluate", "qrels.txt", "-"}, "<&-");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("standard input"));
}

TEST(StandardStreams, FileDoesNotTakeThePlaceOfAClosedStream) {
  Workspace workspace;
  set_up_streams(workspace);
  const Outcome outcome =
      run_with(workspace, {"replay", "experiment.toml", "--json", "result.json"}, ">&- 2>&-");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(workspace.read("result.json").front(), '{');
  EXPECT_TRUE(workspace.read_json("result.json").is_object());
}

}  // namespace
}  // namespace prescope::testing
