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

// A gate without its STORE took the store for a report, and wrote NOT JUDGED over it.
TEST(Overwrite, AStoreIsNoResult) {
  const Workspace workspace;
  workspace.write("qrels", "t 0 a 1\n");
  workspace.write("run", "t Q0 a 1 1 x\n");
  ASSERT_EQ(workspace.run({"pin", "nights.db", "--from", "run", "--qrels", "qrels", "--why", "x"})
                .exit_code,
            0);
  const std::string nights = workspace.read("nights.db");
  const std::vector<std::string> commands[] = {
      {"gate", "--from", "run", "--qrels", "qrels", "--json", "nights.db"},
      {"gate", "--markdown", "nights.db"},
      {"gate", "new.db", "--from", "run", "--qrels", "qrels", "--html", "./nights.db"},
      {"evaluate", "qrels", "run", "--output", "nights.db"},
      {"evaluate", "qrels", "run", "--output", "nights.db-wal"}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    EXPECT_EQ(workspace.run(command).exit_code, 2);
    EXPECT_EQ(workspace.read("nights.db"), nights);
    EXPECT_FALSE(workspace.has("nights.db-wal"));
  }
}

TEST(Overwrite, ALinkIsWrittenThrough) {
  const Workspace workspace;
  workspace.write("run", "t Q0 a 1 1 x\n");
  workspace.write("linked", "an earlier result");
  for (const char* target : {"linked", "new"}) {
    SCOPED_TRACE(target);
    const std::string link = std::string("to ") + target;
    std::filesystem::create_symlink(target, workspace.path(link));
    const Outcome outcome = workspace.run({"convert", "run", "--output", link});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(std::filesystem::is_symlink(workspace.path(link)));
    EXPECT_EQ(workspace.read(target), workspace.read("run"));
  }
}

TEST(Overwrite, AnInputNamedLikeAnUnfinishedOutputIsKept) {
  const Workspace workspace;
  workspace.write("run.partial", "t Q0 a 1 1 x\n");
  const Outcome outcome = workspace.run({"convert", "run.partial", "--output", "run"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(workspace.read("run"), "t Q0 a 1 1 x\n");
  EXPECT_EQ(workspace.read("run.partial"), "t Q0 a 1 1 x\n");
}

TEST(Overwrite, OneFileForTwoResultsIsRefused) {
  const Workspace workspace;
  workspace.write("qrels", "t 0 a 1\n");
  workspace.write("run", "t Q0 a 1 1 x\n");
  workspace.write("old", "old");
  std::filesystem::create_symlink("old", workspace.path("link"));
  const std::vector<std::string> commands[] = {
      {"compare", "qrels", "run", "run", "--html", "./new", "--json", "new"},
      {"compare", "qrels", "run", "run", "--html", "old", "--json", "link"},
      {"study", "cutoffs", "qrels", "run", "--csv", "new", "--json", "new"}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    const Outcome outcome = workspace.run(command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("; write to different files"));
    EXPECT_THAT(outcome.err, HasSubstr(command[command.size() - 2]));
    EXPECT_FALSE(std::filesystem::exists(workspace.path("new")));
    EXPECT_EQ(workspace.read("old"), "old");
  }
}

}  // namespace
}  // namespace prescope::testing
