// Output never replaces a file that the command reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

TEST(Overwrite, AnOutputThatIsAnInputIsRefused) {
  const Workspace workspace;
  const std::string qrels = "t 0 a 1\n", run = "t Q0 a 1 1 x\n", other = "t Q0 b 1 1 x\n";
  workspace.write("qrels", qrels);
  workspace.write("run", run);
  workspace.write("other", other);
  std::filesystem::create_hard_link(workspace.path("run"), workspace.path("link"));
  const std::vector<std::string> commands[] = {
      {"evaluate", "qrels", "run", "--output", "run"},
      {"evaluate", "qrels", "run", "--output", "./qrels"},
      {"evaluate", "qrels", "run", "--output", "link"},
      {"compare", "qrels", "run", "other", "--json", "other"},
      {"compare", "qrels", "run", "other", "--html", "qrels"},
      {"study", "cutoffs", "qrels", "run", "--csv", "run"},
      {"convert", "run", "--output", "run"}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    const Outcome outcome = workspace.run(command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(command.back() + ": is an input of this command"));
    EXPECT_EQ(workspace.read("qrels"), qrels);
    EXPECT_EQ(workspace.read("run"), run);
    EXPECT_EQ(workspace.read("other"), other);
  }
}

}  // namespace
}  // namespace prescope::testing
