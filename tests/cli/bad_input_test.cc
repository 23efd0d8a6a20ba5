// Malformed and contradictory input: each is named by place, ends with exit code 2 and leaves no
// output that could be taken for a result.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Runs the toy experiment and expects it to be refused.
std::string refusal_of_replay(const Workspace& workspace, std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(),
               {"replay", "experiment.toml", "--json", "result.json", "--runs-out", "runs"});
  const Outcome outcome = workspace.run(std::move(flags));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("prescope: "));
  EXPECT_FALSE(workspace.has("result.json"));
  EXPECT_FALSE(workspace.has_unfinished_file());
  EXPECT_FALSE(workspace.has("runs"));
  return outcome.err;
}

struct BadQrels {
  const char* name;
  const char* content;
  const char* place;
  const char* found;
};

class BadQrelsFile : public ::testing::TestWithParam<BadQrels> {};

TEST_P(BadQrelsFile, IsRefusedByLine) {
  const Workspace workspace(set_up_toy);
  workspace.write("qrels.txt", GetParam().content);
  EXPECT_THAT(refusal_of_replay(workspace),
              AllOf(HasSubstr(GetParam().place), HasSubstr(GetParam().found)));
}

INSTANTIATE_TEST_SUITE_P(
    Replay, BadQrelsFile,
    ::testing::Values(
        BadQrels{"TooFewColumns", "T1 0 EP1A1 1\nT1 EP2A1\n", "qrels.txt:2: ", "column"},
        BadQrels{"GradeIsNoNumber", "T1 0 EP1A1 1\n\nT1 0 EP2A1 high\n", "qrels.txt:3: ", "'high'"},
        BadQrels{"GradeOverflows", "T1 0 EP1A1 99999999999\n", "qrels.txt:1: ", "99999999999"},
        BadQrels{"SameDocnoOtherGrade", "T1 0 EP1A1 1\nT1 0 EP1A1 2\n", "qrels.txt:2: ", "EP1A1"},
        BadQrels{"OtherColumns", "T1 0 EP1A1 1\nT1 EP2A1 1\n", "qrels.txt:2: ", "unlike the 4"},
        BadQrels{"Empty", "", "qrels.txt", "judgement"},
        BadQrels{"OnlyComments", "# nothing here\n\n", "qrels.txt", "judgement"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(BadInput, TruncatedGzip) {
  const Workspace workspace(set_up_toy);
  std::string qrels;
  for (int i = 0; i < 2000; ++i) qrels += "T1 0 EP" + std::to_string(i * i) + "A1 1\n";
  workspace.write_gzip("qrels.gz", qrels);
  const std::string whole = workspace.read("qrels.gz");
  workspace.write("qrels.gz", std::string_view(whole).substr(0, whole.size() / 2));
  EXPECT_THAT(refusal_of_replay(workspace, {"--qrels", "qrels.gz"}), HasSubstr("qrels.gz"));
}

TEST(BadInput, MissingQrels) {
  const Workspace workspace(set_up_toy);
  EXPECT_THAT(refusal_of_replay(workspace, {"--qrels", "nowhere.txt"}), HasSubstr("nowhere.txt"));
}

TEST(BadInput, NoCommonTopicsShowsAnIdOfEachSide) {
  const Workspace workspace(set_up_toy);
  workspace.write("topics.tsv", "t-1\tfirst\n");
  EXPECT_THAT(refusal_of_replay(workspace),
              AllOf(HasSubstr("no topic in common"), HasSubstr("'T1'"), HasSubstr("'t-1'")));
}

TEST(BadInput, NoTopicIsADocument) {
  const Workspace workspace(set_up_toy);
  EXPECT_THAT(refusal_of_replay(workspace, {"--topics-source", "documents"}),
              AllOf(HasSubstr("no topic of qrels.txt can be run"), HasSubstr("'T1'")));
}

TEST(BadInput, MalformedTopics) {
  const Workspace workspace(set_up_toy);
  workspace.write("topics.tsv", "T1\tfirst\nT2 no tab\n");
  EXPECT_THAT(refusal_of_replay(workspace), HasSubstr("topics.tsv:2: "));
}

TEST(BadInput, MalformedExcludePairs) {
  const Workspace workspace(set_up_toy);
  workspace.write("pairs.txt", "T1 EP1A1\nT1 EP2A1 EP3A1\n");
  EXPECT_THAT(refusal_of_replay(workspace, {"--exclude-pairs", "pairs.txt"}),
              HasSubstr("pairs.txt:2: 3 columns; expected two"));
}

TEST(BadInput, IndexIsMissing) {
  const Workspace workspace(set_up_toy);
  EXPECT_THAT(refusal_of_replay(
                  workspace, {"--engine", "lucenepp", "--arms", "forward", "--index", "nowhere"}),
              HasSubstr("nowhere"));
}

TEST(BadInput, FolderIsNoIndex) {
  const Workspace workspace(set_up_toy);
  std::filesystem::create_directory(workspace.path("empty"));
  EXPECT_THAT(refusal_of_replay(workspace,
                                {"--engine", "lucenepp", "--arms", "forward", "--index", "empty"}),
              HasSubstr("empty"));
}

TEST(BadInput, RunFileCannotCarryABlankInADocno) {
  const Workspace workspace(set_up_toy);
  workspace.write("documents.jsonl", "{\"id\": \"EP 0000002 A1\", \"title\": \"two\"}\n");
  ASSERT_EQ(
      workspace.run({"index", "--engine", test_module("toy"), "--out", "index", "documents.jsonl"})
          .exit_code,
      0);
  EXPECT_THAT(refusal_of_replay(workspace), HasSubstr("EP 0000002 A1"));
}

TEST(BadInput, ArmSettingIsUnknown) {
  const Workspace workspace(set_up_toy);
  const std::string err =
      refusal_of_replay(workspace, {"--arm", "forward:ordr=backward", "--arm", "backward:x=1"});
  EXPECT_THAT(err, AllOf(HasSubstr("--arm: unknown arm setting 'ordr'; did you mean 'order'?"),
                         HasSubstr("'x'")));
}

TEST(BadInput, DocumentsAreMalformed) {
  const Workspace workspace;
  workspace.write("documents.jsonl",
                  "{\"id\": \"EP1A1\", \"title\": \"one\"}\n{\"title\": \"two\"}\n");
  const Outcome outcome =
      workspace.run({"index", "--engine", test_module("toy"), "--out", "index", "documents.jsonl"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("documents.jsonl:2: "));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_FALSE(workspace.has("index"));
}

}  // namespace
}  // namespace prescope::testing
