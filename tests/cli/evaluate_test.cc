// prescope evaluate under other locales and on a terminal; transcripts/evaluate_*.transcript have
// its output.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>

#include "support/evaluate_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

TEST(Evaluate, ThreadsAndLocaleChangeNoByte) {
  const Workspace workspace(set_up_runs);
  const std::string locale = workspace.path("de_DE.UTF-8");
  const bool has_locale =
      std::system(("localedef -f UTF-8 -i de_DE '" + locale + "' > /dev/null 2>&1").c_str()) == 0;
  for (const std::string format : {"table", "trec_eval", "json", "csv", "tsv", "markdown"}) {
    const std::vector<std::string> command = {
        "evaluate",   "qrels.txt",
        "early.run",  "late.res",
        "--format",   format,
        "--threads",  "1",
        "-m",         format == "trec_eval" ? "map" : "AP,R@2",
        "--per-topic"};
    std::vector<std::string> in_two = command;
    in_two[7] = "2";
    const Outcome one = workspace.run(command);
    ASSERT_EQ(one.exit_code, 0) << one.err;
    EXPECT_EQ(workspace.run(in_two).out, one.out) << format;
    if (!has_locale) continue;
    const Outcome german =
        workspace.run(command, {{"LC_ALL", "de_DE.UTF-8"}, {"LOCPATH", workspace.folder()}});
    EXPECT_EQ(german.out, one.out) << format;
    EXPECT_EQ(german.err, one.err) << format;
  }
  if (!has_locale) GTEST_SKIP() << "no localedef with the sources of de_DE (package locales)";
}

TEST(Evaluate, ColoursOnATerminalOnly) {
  const Workspace workspace(set_up_runs);
  const Outcome terminal =
      run_on_terminal({.arguments = {"evaluate", "qrels.txt", "early.run", "late.res"},
                       .environment = {{"TERM", "xterm"}},
                       .folder = workspace.folder()});
  EXPECT_THAT(terminal.out, HasSubstr("\x1b[1m"));
}

}  // namespace
}  // namespace prescope::testing
