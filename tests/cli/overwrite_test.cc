// Output never replaces a file that the command reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

TEST(Overwrite, AnOutputThatIsAnInputIsRefused) {
  const Workspace workspace(set_up_toy);
  const std::string judged = workspace.read("qrels.txt"), topics = workspace.read("topics.tsv");
  std::filesystem::create_directory(workspace.path("runs"));
  for (const char* run : {"runs/forward.run", "runs/backward.run"}) {
    std::filesystem::create_hard_link(workspace.path("qrels.txt"), workspace.path(run));
  }
  std::filesystem::create_directory(workspace.path("kept"));
  std::filesystem::create_hard_link(workspace.path("topics.tsv"),
                                    workspace.path("kept/forward.run"));
  workspace.write("runs.toml",
                  "engine = 'run-file'\nindex = 'kept'\n[qrels]\npath = 'qrels.txt'\n"
                  "[[arms]]\nname = 'forward'\nrun = 'forward.run'\n");
  workspace.write("empty", "");
  const std::string qrels = "t 0 a 1\n", run = "t Q0 a 1 1 x\n", other = "t Q0 b 1 1 x\n";
  workspace.write("qrels", qrels);
  workspace.write("run", run);
  workspace.write("other", other);
  const std::string scores = "run\tX\tY\nA\t1\t2\nB\t2\t1\n";
  workspace.write("scores", scores);
  std::filesystem::create_hard_link(workspace.path("run"), workspace.path("link"));
  std::filesystem::create_directory(workspace.path("figures"));
  std::filesystem::create_symlink("../other", workspace.path("figures/old.svg"));
  ASSERT_EQ(workspace.run({"pin", "nights.db", "--from", "run", "--qrels", "qrels", "--why", "x"})
                .exit_code,
            0);
  const std::string nights = workspace.read("nights.db");
  const std::vector<std::string> commands[] = {
      {"gate", "nights.db", "--from", "run", "--qrels", "qrels", "--json", "run"},
      {"gate", "nights.db", "--from", "run", "--qrels", "qrels", "--junit", "qrels"},
      {"gate", "nights.db", "--from", "run", "--qrels", "qrels", "--markdown", "nights.db"},
      {"gate", "nights.db", "--from", "experiment.toml", "--arm", "forward", "--html", "qrels.txt"},
      {"pin", "--from", "run", "--qrels", "qrels", "--why", "x", "--must-find", "empty", "empty"},
      {"history", "nights.db", "--html", "nights.db"},
      {"gate", "nights.db", "--from", "run", "--qrels", "qrels", "--json", "nights.db-wal"},
      {"gate", "nights.db", "--from", "run", "--qrels", "qrels", "--junit", "./nights.db-shm"},
      {"history", "nights.db", "--html", "nights.db-journal"},
      {"replay", "experiment.toml", "--json", "topics.tsv"},
      {"replay", "experiment.toml", "--html", "experiment.toml"},
      {"replay", "experiment.toml", "--log", "qrels.txt"},
      {"replay", "experiment.toml", "--store", "nights.db", "--log", "nights.db"},
      {"replay", "experiment.toml", "--store", "new.db", "--log", "new.db"},
      {"replay", "experiment.toml", "--store", "new.db", "--log", "./new.db"},
      {"replay", "experiment.toml", "--runs-out", "runs"},
      {"replay", "experiment.toml", "--log", "new.json", "--json", "./new.json"},
      {"replay", "experiment.toml", "--index", "other", "--json", "other"},
      {"replay", "experiment.toml", "--runs-out", "new", "--log", "new/forward.run"},
      {"replay", "runs.toml", "--json", "kept/forward.run"},
      {"replay", "runs.toml", "--runs-out", "kept"},
      {"gate", "nights.db", "--from", "runs.toml", "--json", "kept/forward.run"},
      {"study", "retrievability", "run", "--json", "run"},
      {"evaluate", "qrels", "run", "--output", "run"},
      {"evaluate", "qrels", "run", "--output", "./qrels"},
      {"evaluate", "qrels", "run", "--output", "link"},
      {"compare", "qrels", "run", "other", "--json", "other"},
      {"compare", "qrels", "run", "other", "--html", "qrels"},
      {"study", "correlation", "--scores", "scores", "--csv", "scores"},
      {"study", "cutoffs", "qrels", "run", "--csv", "run"},
      {"study", "cutoffs", "qrels", "run", "other", "--svg", "figures"},
      {"index", "--engine", "run-file", "other", "run", "--out", "run"},
      {"convert", "run", "--output", "run"}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    const Outcome outcome = workspace.run(command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(": is an input of this command"));
    EXPECT_THAT(outcome.err, HasSubstr(command.back()));
    EXPECT_EQ(workspace.read("qrels.txt"), judged);
    EXPECT_EQ(workspace.read("topics.tsv"), topics);
    EXPECT_EQ(workspace.read("nights.db"), nights);
    EXPECT_EQ(workspace.read("qrels"), qrels);
    EXPECT_EQ(workspace.read("run"), run);
    EXPECT_EQ(workspace.read("other"), other);
    EXPECT_EQ(workspace.read("scores"), scores);
  }
}

}  // namespace
}  // namespace prescope::testing
