// Run files in the program: beside an engine that answers live, and as the program writes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// The example of an arm in docs/adapters.md: run "theirs.run" in the folder "runs".
std::string arm_of_the_guide() {
  const std::string guide = content_of(PRESCOPE_SOURCE_DIR "/docs/adapters.md");
  const std::string fence = "```toml\n";
  const auto begin = guide.find(fence) + fence.size();
  return guide.substr(begin, guide.find("```", begin) - begin);
}

json replayed(const Workspace& workspace, std::vector<std::string> arguments) {
  std::vector<std::string> all = {"replay", "experiment.toml", "--json", "-"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = workspace.run(all);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
}

/// set_up_toy: T1 cites EP2, T2 cites EP1 and EP5; the arm "forward" serves EP1, ..., EP5.
class RunFileReplay : public ::testing::Test {
 protected:
  RunFileReplay() {
    set_up_toy(workspace_);
    std::filesystem::create_directory(workspace_.path("runs"));
  }
  Workspace workspace_;
};

TEST_F(RunFileReplay, GuidesArmIsComparedWithALiveOne) {
  workspace_.write("runs/theirs.run",
                   "T1 Q0 EP0000005A1 1 2.5 theirs\n"
                   "T1 Q0 EP0000002A1 2 1.5 theirs\n");
  workspace_.write("experiment.toml", workspace_.read("experiment.toml") + arm_of_the_guide());
  const json result = replayed(workspace_, {"--arms", "forward,theirs"});
  EXPECT_EQ(result["indexes"][1]["engine"]["name"], "run-file");
  EXPECT_EQ(result["indexes"][1]["path"], "runs");
  EXPECT_TRUE(result["indexes"][1]["documents"].is_null());
  const json& topics = result["summary"]["per_topic"];
  EXPECT_EQ(topics[0]["arms"]["forward"]["relevant_ranks"], json({2}));
  EXPECT_EQ(topics[0]["arms"]["theirs"]["relevant_ranks"], json({2}));
  // T2 is not in the run: nothing was found.
  EXPECT_EQ(topics[1]["arms"]["theirs"]["num_ret"], 0);
  EXPECT_EQ(topics[1]["arms"]["theirs"]["scores"]["PRES@4"], 0.0);
}

TEST_F(RunFileReplay, WrittenRunScoresLikeItsArm) {
  const json live = replayed(workspace_, {"--runs-out", "written"});
  for (const char* order : {"trec", "file"}) {
    std::string experiment = "name = 'again'\nengine = 'run-file'\nindex = 'written'\n";
    experiment += "cutoffs = [4]\ndepth = 5\n[qrels]\npath = 'qrels.txt'\n[topics]\n";
    experiment += "path = 'topics.tsv'\n";
    for (const auto& entry : std::filesystem::directory_iterator(workspace_.path("written"))) {
      experiment += "[[arms]]\nname = '" + entry.path().stem().string();
      experiment += "'\nrun = '" + entry.path().filename().string();
      experiment += "'\norder = '" + std::string(order) + "'\n";
    }
    workspace_.write("experiment.toml", experiment);
    const json again = replayed(workspace_, {"--arms", "forward,backward"});
    for (const char* arm : {"forward", "backward"}) {
      for (std::size_t topic = 0; topic < 2; ++topic) {
        for (const char* key : {"relevant_ranks", "num_ret", "scores"}) {
          EXPECT_EQ(again["summary"]["per_topic"][topic]["arms"][arm][key],
                    live["summary"]["per_topic"][topic]["arms"][arm][key])
              << order << ' ' << arm << ' ' << key;
        }
      }
    }
  }
}

/// An experiment of the arm "theirs" alone, which is the run `file`.
std::string experiment_of(const std::string& file) {
  return "engine = 'run-file'\nindex = 'runs'\nmeasures = ['RR']\n[qrels]\npath = 'qrels.txt'\n"
         "docno = 'raw'\n[topics]\npath = 'topics.tsv'\n[[arms]]\nname = 'theirs'\nrun = '" +
         file + "'\n";
}

TEST_F(RunFileReplay, RanksARunAsEvaluateDoes) {
  // The scores of T1 differ as doubles, not as floats: EP2 is at rank 1. T2 finds nothing.
  workspace_.write("qrels.txt", "T1 0 EP2 1\nT2 0 EP1 1\n");
  workspace_.write("runs/theirs.run", "T1 Q0 EP2 1 1.000000001 x\nT1 Q0 EP3 2 1 x\n");
  workspace_.write("experiment.toml", experiment_of("theirs.run"));
  const json replay = replayed(workspace_, {});
  EXPECT_EQ(replay["summary"]["arms"][0]["means"]["RR"]["mean"], 0.5);
  const Outcome evaluated =
      workspace_.run({"evaluate", "qrels.txt", "runs/theirs.run", "-m", "RR", "--format", "json"});
  EXPECT_EQ(json::parse(evaluated.out)["runs"][0]["means"]["RR"], 0.5);
}

TEST_F(RunFileReplay, ARunNamedLikeAnUnfinishedOneIsKept) {
  const std::string run = "T1 Q0 EP0000002A1 1 2 x\nT2 Q0 EP0000001A1 1 1 x\n";
  workspace_.write("runs/theirs.run.partial", run);
  workspace_.write("experiment.toml", experiment_of("theirs.run.partial"));
  static_cast<void>(replayed(workspace_, {"--runs-out", "runs"}));
  EXPECT_EQ(workspace_.read("runs/theirs.run.partial"), run);
  EXPECT_EQ(workspace_.read("runs/theirs.run"),
            "T1 Q0 EP0000002A1 1 1 theirs\nT2 Q0 EP0000001A1 1 1 theirs\n");
}

TEST_F(RunFileReplay, IndexingIsRefused) {
  const Outcome outcome =
      workspace_.run({"index", "--engine", "run-file", "--out", "index2", "documents.jsonl"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the engine run-file makes no indexes"));
}

}  // namespace
}  // namespace prescope::testing
