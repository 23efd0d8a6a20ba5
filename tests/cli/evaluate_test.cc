// prescope evaluate: output for people. Scores are worked out by hand beside the files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>

#include "support/evaluate_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Evaluate, TableHasARowForEachRunAndMarksTheBestOfEachColumn) {
  const Workspace workspace(set_up_runs);
  const Outcome outcome =
      workspace.run({"evaluate", "qrels.txt", "early.run", "late.res", "-m", "PRES@4,R@4,AP"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            R"(qrels  qrels.txt, 4 topics, 6 judgements, docno policy raw, relevant from grade 1
ranks  score descending, then docno descending

run    topics  PRES@4      R@4      MAP
────────────────────────────────────────
early       3  0.5417*  0.6667*  0.4444*
late        3  0.4583   0.5000   0.4167
* the best of its column

Worth knowing
  topics of the qrels that are missing from a run, which count 0: early 2 (T3, T4); late 1 (T3)
  topics of a run that are missing from the qrels, left out: early 1 (T9)
  unjudged in the first 4 ranks: early 40.0 %; late 50.0 %
  topics of the qrels without relevant documents, in no mean: 1 of 4 (T3)
)");
}

TEST(Evaluate, PerTopicTableListsEveryTopicInOrderOfItsId) {
  const Workspace workspace(set_up_runs);
  const Outcome outcome =
      workspace.run({"evaluate", "qrels.txt", "early.run", "-m", "PRES@4,AP", "--per-topic"});
  EXPECT_THAT(outcome.out, HasSubstr(R"(early
topic  num_rel  num_rel_ret  PRES@4      AP
───────────────────────────────────────────
T1           2            2  0.8750  0.8333
T2           1            1  0.7500  0.5000
T3           0            0       -       -
T4           1            0  0.0000  0.0000

)"));
}

TEST(Evaluate, TopicsRunOptionLeavesMissingTopicsOut) {
  const Workspace workspace(set_up_runs);
  const Outcome outcome =
      workspace.run({"evaluate", "qrels.txt", "early.run", "-m", "PRES@4", "--topics", "run"});
  EXPECT_THAT(outcome.out, HasSubstr("early       2  0.8125"));  // (0.875 + 0.75) / 2
  EXPECT_THAT(outcome.out, HasSubstr("left out (--topics run): early 2 (T3, T4)"));
}

TEST(Evaluate, ReportsMeansThatChangeUnderTheOrderOfLines) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 A 1\nT1 0 B 0\n");
  // By score and docno B stands first, by line A: AP 1/2 and 1.
  workspace.write("tied.run", "T1 Q0 A 1 7 x\nT1 Q0 B 2 7 x\n");
  const Outcome by_score = workspace.run({"evaluate", "qrels.txt", "tied.run", "-m", "AP,P@1"});
  EXPECT_THAT(unwrapped(by_score.out),
              AllOf(HasSubstr("0.5000"),
                    HasSubstr("tied 1 (means would change by AP +0.5000, P@1 +1.0000)"),
                    HasSubstr("on the other side of rank 1, so that docnos decide: tied 1 in "
                              "1 topic")));
  const Outcome by_line =
      workspace.run({"evaluate", "qrels.txt", "tied.run", "-m", "AP,P@1", "--order", "file"});
  EXPECT_THAT(unwrapped(by_line.out),
              AllOf(HasSubstr("1.0000"), HasSubstr("AP -0.5000, P@1 -1.0000"),
                    Not(HasSubstr("docnos decide"))));
}

TEST(Evaluate, FloatScoresTieWhereDoubleOnesDoNot) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 A 1\n");
  workspace.write("close.run", "T1 Q0 A 1 1.00000001 x\nT1 Q0 B 2 1.0 x\n");
  EXPECT_THAT(workspace.run({"evaluate", "qrels.txt", "close.run", "-m", "RR"}).out,
              HasSubstr("1.0000"));
  EXPECT_THAT(
      workspace.run({"evaluate", "qrels.txt", "close.run", "-m", "RR", "--score", "float"}).out,
      AllOf(HasSubstr("0.5000"), HasSubstr("as float")));
}

TEST(Evaluate, DuplicatesAndMergedJudgementsAreReported) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 EP-1-A1 1\nT1 0 EP-1-B1 1\nT1 0 EP-1-A1 1\n");
  workspace.write("twice.run", "T1 Q0 EP1A1 1 3 x\nT1 Q0 EP2A1 2 2 x\nT1 Q0 EP1B1 3 1 x\n");
  const Outcome outcome =
      workspace.run({"evaluate", "qrels.txt", "twice.run", "--docno", "patent", "-m", "R@3"});
  EXPECT_THAT(unwrapped(outcome.out),
              AllOf(HasSubstr("twice 1 in 1 topic, the first at rank 3 of T1 (EP1B1)"),
                    HasSubstr("repeat an earlier one, counted once: 1"),
                    HasSubstr("keeping the higher grade: 1"), HasSubstr("1.0000")));
}

// A family map says which topics are near-duplicates, under every docno policy.
TEST(Evaluate, TakesAFamilyMapUnderEveryPolicy) {
  const Workspace workspace;
  workspace.write("qrels.txt", "EP1A1 0 EP8A1 1\nEP2A1 0 EP9A1 1\n");
  workspace.write("a.run", "EP1A1 Q0 EP8A1 1 2 x\nEP2A1 Q0 EP9A1 1 2 x\n");
  workspace.write("map", "EP1 f\nEP2 f\n");
  for (const char* policy : {"raw", "publication", "patent", "family"}) {
    const Outcome outcome =
        workspace.run({"evaluate", "qrels.txt", "a.run", "--docno", policy, "--family-map", "map"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(unwrapped(outcome.out), HasSubstr("which tests count once each: 2 in 1")) << policy;
  }
  const std::vector<std::string> night = {"nights.db", "--from", "a.run", "--qrels", "qrels.txt"};
  std::vector<std::string> pin = {"pin", "--family-map", "map", "--why", "x", "--force"};
  pin.insert(pin.begin() + 1, night.begin(), night.end());
  const Outcome pinned = workspace.run(pin);
  EXPECT_EQ(pinned.exit_code, 0) << pinned.err;
}

// A pipe cannot be read twice.
TEST(Evaluate, SaysThatIdsOfAPipeWereNotCompared) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 EP1A1 1\n");
  workspace.write("a.run", "T1 Q0 \"EP1A1\" 1 2 x\n");
  const std::string said = "give the path of a file";
  EXPECT_THAT(unwrapped(workspace.run({"evaluate", "qrels.txt", "a.run"}).out),
              AllOf(HasSubstr("would find a judged document"), Not(HasSubstr(said))));
  const Outcome piped = run_program(
      {.arguments = {"-c", "cat a.run | \"$0\" evaluate qrels.txt -", prescope_program()},
       .environment = {},
       .folder = workspace.folder(),
       .program = "/bin/sh"});
  EXPECT_THAT(unwrapped(piped.out), HasSubstr(said)) << piped.err;
}

TEST(Evaluate, SuggestsADocnoPolicyThatFindsMore) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 EP-0000001-A1 1\nT1 0 EP-0000001-B1 1\nT1 0 EP-2-A1 1\n");
  workspace.write("kind.run", "T1 Q0 EP-0000001-A1 1 3 x\nT1 Q0 EP-2-B1 2 2 x\n");
  const std::vector<std::string> command = {"evaluate", "qrels.txt", "kind.run", "-m", "R@3"};
  // A1 of patent 1 matches as it is; without kind codes so does patent 2. One note says so.
  EXPECT_THAT(unwrapped(workspace.run(command).out),
              AllOf(HasSubstr("kind: EP patents: 1 of 3 judged documents found; 1 more would match "
                              "with another kind code (EP-2-A1 in the qrels, EP-2-B1 in the run): "
                              "use --docno patent"),
                    Not(HasSubstr("judged docnos match"))));
  std::vector<std::string> as_told = command;
  as_told.insert(as_told.end(), {"--docno", "patent"});
  EXPECT_THAT(workspace.run(as_told).out, Not(HasSubstr("judged docnos match")));
  workspace.write("spelled.run", "T1 Q0 EP0000001A1 1 3 x\nT1 Q0 EP0000001B1 2 2 x\n");
  workspace.write("qrels.txt", "T1 0 EP-0000001-A1 1\nT1 0 EP-0000001-B1 1\n");
  // The advice was both --docno publication and --docno patent.
  EXPECT_THAT(unwrapped(workspace.run({"evaluate", "qrels.txt", "spelled.run", "-m", "R@3"}).out),
              AllOf(HasSubstr("spelled: EP patents: 0 of 2 judged documents found; they would "
                              "match in another spelling (EP-0000001-A1 in the qrels, "
                              "EP0000001A1 in the run): use --docno publication"),
                    Not(HasSubstr("judged docnos match")), Not(HasSubstr("--docno patent"))));
  // Another publication of a patent that was found is no other form of it: only the policy helps.
  workspace.write("one.run", "T1 Q0 EP-0000001-A1 1 3 x\n");
  EXPECT_THAT(unwrapped(workspace.run({"evaluate", "qrels.txt", "one.run", "-m", "R@3"}).out),
              HasSubstr("one: 1 of 2 judged docnos match, 2 after dropping kind codes: use "
                        "--docno patent"));
  workspace.write("others.run", "T1 Q0 US1A1 1 3 x\nT1 Q0 US2A1 2 2 x\n");
  EXPECT_THAT(unwrapped(workspace.run({"evaluate", "qrels.txt", "others.run", "-m", "R@3"}).out),
              HasSubstr("runs without a judged document (do their ids look like those of the "
                        "qrels?): others 2 retrieved"));
}

TEST(Evaluate, RunsAndQrelsMayBeGzipOrStandardInput) {
  const Workspace workspace(set_up_runs);
  workspace.write_gzip("early.run.gz", workspace.read("early.run"));
  workspace.write_gzip("qrels.gz", workspace.read("qrels.txt"));
  const std::string expected =
      workspace.run({"evaluate", "qrels.txt", "early.run", "--names", "x", "--format", "tsv"}).out;
  EXPECT_THAT(expected, HasSubstr("x\tall\tnum_q\t4\n"));
  for (const std::string command :
       {"evaluate qrels.gz early.run.gz", "evaluate qrels.txt - < early.run",
        "evaluate qrels.txt - < early.run.gz", "evaluate - early.run < qrels.txt",
        "evaluate - early.run.gz < qrels.gz"}) {
    const std::size_t redirected = std::min(command.find(" <"), command.size());
    std::string full = command;
    EXPECT_EQ(shell(workspace, full.insert(redirected, " --names x --format tsv 2>notes.txt")).out,
              expected)
        << command;
  }
}

TEST(Evaluate, EqualRunNamesAreReplacedByPaths) {
  const Workspace workspace(set_up_runs);
  std::filesystem::create_directory(workspace.path("other"));
  workspace.write("other/early.run", workspace.read("early.run"));
  const Outcome outcome = workspace.run(
      {"evaluate", "qrels.txt", "early.run", "other/early.run", "late.res", "-m", "AP"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nearly.run"), HasSubstr("\nother/early.run"),
                                 HasSubstr("\nlate ")));
}

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

TEST(Evaluate, OutputFileEqualsStandardOutput) {
  const Workspace workspace(set_up_runs);
  const std::vector<std::string> command = {"evaluate", "qrels.txt", "early.run", "--per-topic"};
  std::vector<std::string> to_file = command;
  to_file.insert(to_file.end(), {"--output", "table.txt"});
  const Outcome outcome = workspace.run(to_file);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_EQ(workspace.read("table.txt"), workspace.run(command).out);
}

TEST(Evaluate, SaysWhatAMeasureLacks) {
  const Workspace workspace;
  std::string qrels, run;
  for (const char* topic : {"T1", "T2"}) {
    qrels += fmt::format("{} 0 D1 1\n", topic);
    for (int i = 0; i < 10; ++i) run += fmt::format("{} Q0 D{} 1 {} x\n", topic, i, 20 - i);
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("ten.run", run);
  const auto notes = [&](const char* measures) {
    return workspace.run({"evaluate", "qrels.txt", "ten.run", "--format", "tsv", "-m", measures})
        .err;
  };
  EXPECT_THAT(notes("R@20,P@10,AP"), HasSubstr("behind the rank at which a run was cut off, where "
                                               "nothing is found: ten 10 (R@20)"));
  EXPECT_THAT(notes("Rnorm"), HasSubstr("it needs the size of the collection"));
  EXPECT_THAT(notes("R@10,AP"), Not(AnyOf(HasSubstr("cut off"), HasSubstr("collection"))));
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
