// prescope evaluate: errors name place, found and expected; no result is printed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/evaluate_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string refusal_of_run(const Workspace& workspace, std::vector<std::string> arguments) {
  const Outcome outcome = workspace.run(std::move(arguments));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("prescope: "));
  return outcome.err;
}

struct BadRun {
  const char* name;
  std::string content;
  const char* message;
};

class BadRunFile : public ::testing::TestWithParam<BadRun> {};

TEST_P(BadRunFile, IsRefusedByLine) {
  const Workspace workspace(set_up_runs);
  workspace.write("bad.run", GetParam().content);
  EXPECT_THAT(refusal_of_run(workspace, {"evaluate", "qrels.txt", "early.run", "bad.run"}),
              HasSubstr(GetParam().message));
}

constexpr const char* kGood = "T1 Q0 A 1 1.0 x\n";

INSTANTIATE_TEST_SUITE_P(
    Evaluate, BadRunFile,
    ::testing::Values(
        BadRun{"FiveColumns", std::string(kGood) + "T1 Q0 B 2 0.5\n", "bad.run:2: "},
        BadRun{"ScoreIsNoNumber", std::string(kGood) + "T1 Q0 B 2 high x\n", "bad.run:2: "},
        BadRun{"ScoreIsNan", std::string(kGood) + "T1 Q0 B 2 nan x\n", "bad.run:2: "},
        BadRun{"NulByte", std::string(kGood) + std::string("T1 Q0 B\0 2 1 x\n", 15), "bad.run:2: "},
        BadRun{"LineOfAMegabyte", std::string(kGood) + std::string(1 << 20, 'y') + "\n",
               "bad.run:2: "},
        BadRun{"Empty", "", "bad.run: "}, BadRun{"OnlyBlankLines", "\n\n", "bad.run: "},
        BadRun{"NoTopicInCommon", "T7 Q0 A 1 1 x\n",
               "bad.run: no topic in common with qrels.txt: it has 'T7', the qrels have 'T1'"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(EvaluateBadInput, MissingFileFolderAndTruncatedGzipAreRefused) {
  const Workspace workspace(set_up_runs);
  std::filesystem::create_directory(workspace.path("folder"));
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += fmt::format("T1 Q0 D{} 1 {} x\n", i * i, i);
  workspace.write_gzip("cut.gz", lines);
  const std::string whole = workspace.read("cut.gz");
  workspace.write("cut.gz", std::string_view(whole).substr(0, whole.size() / 2));
  for (const char* name : {"nowhere.run", "folder", "cut.gz"}) {
    EXPECT_THAT(refusal_of_run(workspace, {"evaluate", "qrels.txt", name}), HasSubstr(name));
    EXPECT_THAT(refusal_of_run(workspace, {"evaluate", name, "early.run"}), HasSubstr(name));
  }
}

TEST(EvaluateBadInput, UnknownValuesSuggestTheNearest) {
  const Workspace workspace(set_up_runs);
  const auto with = [&](const char* flag, const char* value) {
    return refusal_of_run(workspace, {"evaluate", "qrels.txt", "early.run", flag, value});
  };
  EXPECT_THAT(with("-m", "PRESS@100"), HasSubstr("did you mean 'PRES@100'?"));
  EXPECT_THAT(with("--format", "jsn"),
              HasSubstr("--format: unknown value 'jsn'; did you mean 'json'?"));
  EXPECT_THAT(with("--order", "tric"), HasSubstr("did you mean 'trec'?"));
  EXPECT_THAT(with("--docno", "patnt"), HasSubstr("did you mean 'patent'?"));
  EXPECT_THAT(with("--topics", "al"), HasSubstr("did you mean 'all'?"));
  EXPECT_THAT(with("--formt", "json"), HasSubstr("did you mean '--format'?"));
  EXPECT_THAT(with("--names", "a,b"), HasSubstr("--names: 2 names for 1 runs"));
}

TEST(EvaluateBadInput, AllWrongValuesAreReportedAtOnce) {
  const Workspace workspace(set_up_runs);
  EXPECT_THAT(refusal_of_run(workspace, {"evaluate", "qrels.txt", "early.run", "--order", "tric",
                                         "--docno", "patnt", "--depth", "0"}),
              AllOf(HasSubstr("--order: unknown value 'tric'"),
                    HasSubstr("--docno: unknown docno policy 'patnt'"),
                    HasSubstr("--depth: '0' is not a whole number")));
}

TEST(EvaluateBadInput, StandardInputTwiceIsRefused) {
  const Workspace workspace(set_up_runs);
  for (const auto& files : {std::vector<std::string>{"qrels.txt", "-", "-"},
                            std::vector<std::string>{"-", "early.run", "-"}}) {
    std::vector<std::string> command = {"evaluate"};
    command.insert(command.end(), files.begin(), files.end());
    EXPECT_THAT(refusal_of_run(workspace, command),
                HasSubstr("standard input ('-') can be one file only; it is named 2 times"));
  }
}

TEST(EvaluateBadInput, ArgumentsAreMissing) {
  const Workspace workspace(set_up_runs);
  EXPECT_THAT(refusal_of_run(workspace, {"evaluate"}), HasSubstr("prescope: QRELS is required"));
  EXPECT_THAT(refusal_of_run(workspace, {"evaluate", "qrels.txt"}),
              HasSubstr("prescope: RUN is required; see 'prescope evaluate --help'"));
}

TEST(EvaluateBadInput, LeavesNoOutputFileBehind) {
  const Workspace workspace(set_up_runs);
  static_cast<void>(
      refusal_of_run(workspace, {"evaluate", "qrels.txt", "nowhere", "--output", "o.txt"}));
  EXPECT_FALSE(workspace.has("o.txt"));
  EXPECT_FALSE(workspace.has_unfinished_file());
}

TEST(EvaluateBadInput, ClosedPipeEndsItQuietly) {
  const Workspace workspace;
  std::string qrels, run;
  for (int i = 0; i < 4000; ++i) {
    qrels += fmt::format("T{} 0 A 1\n", i);
    run += fmt::format("T{} Q0 A 1 1 x\n", i);
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("x.run", run);
  for (const std::string command :
       {"evaluate qrels.txt x.run --per-topic --format tsv", "convert x.run --to jsonl"}) {
    const Outcome outcome =
        shell(workspace, command + " 2>stderr.txt | head -1 >first.txt; echo ${PIPESTATUS[0]}");
    EXPECT_EQ(outcome.out, "0\n") << command;
    EXPECT_THAT(workspace.read("first.txt"), Not(IsEmpty())) << command;
    EXPECT_THAT(workspace.read("stderr.txt"), Not(HasSubstr("ipe"))) << command;
  }
}

}  // namespace
}  // namespace prescope::testing
