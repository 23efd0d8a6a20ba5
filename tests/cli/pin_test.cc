// prescope pin: explicit and audited; a refusal writes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string refused_pin(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("prescope: "));
  return outcome.err;
}

TEST(Pin, PrintsThePinnedEvaluation) {
  const Workspace workspace;
  write_night_qrels(workspace, 2);
  write_night_run(workspace, "base.run", 2, [](int) { return NightRanks{1, 3}; });
  const Outcome outcome = run_night(workspace, "pin", "base.run", {"--why", "first release"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              ContainsRegex("night +bm25, run base.run, 20..-..-.. ..:.. UTC, depth 10\n"
                            "qrels +2 topics, 4 relevant documents, docno policy raw.*\n"
                            "means +PRES@10 0.9500, R@10 1.0000\n"
                            "topics +2 of 2 topics were served.\n"
                            "judged_found +4 of 4 relevant documents were retrieved.\n"
                            "scores +Scores order the documents of 2 of 2 topics with a judged "
                            "document\\.\n"
                            "run +All lines have one tag and ids that can be seen\\.\n"
                            "duplicates +No ranking has a document twice.\n"
                            "main: night 1 pinned by ada\n"));
}

// SQLite would keep the first two in memory, and the pin would be lost.
TEST(Pin, AnyStoreNameIsThatOfAFile) {
  const Workspace workspace;
  write_night_qrels(workspace, 2);
  write_night_run(workspace, "base.run", 2, [](int) { return NightRanks{1, 3}; });
  for (const char* name : {":memory:", "file:x.db?mode=memory", "a b%3f?.db"}) {
    const Outcome pinned = workspace.run(
        {"pin", name, "--from", "base.run", "--qrels", "qrels.txt", "--why", "first release"});
    EXPECT_EQ(pinned.exit_code, 0) << pinned.err;
    EXPECT_TRUE(workspace.has(name)) << name;
    EXPECT_EQ(workspace.run({"history", name}).exit_code, 0) << name;
  }
}

TEST(Pin, RefusesABaselineWhoseInputIsBrokenUnlessToldTo) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 EP1000001A1 1\nT2 0 EP1000002A1 1\n");
  workspace.write("base.run", "T1 Q0 EP1000001 1 2.0 x\nT2 Q0 EP1000002 1 2.0 x\n");
  EXPECT_THAT(refused_pin(run_night(workspace, "pin", "base.run", {"--why", "x"})),
              AllOf(HasSubstr("input.judged_found: 0 of 2 relevant documents were retrieved"),
                    HasSubstr("under docno policy patent it would be 2"), HasSubstr("--force")));
  EXPECT_FALSE(workspace.has("nights.db"));
  const Outcome forced = run_night(workspace, "pin", "base.run", {"--why", "x", "--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_THAT(forced.out, AllOf(HasSubstr("BAD INPUT: 0 of 2 relevant documents"),
                                ::testing::EndsWith("main: night 1 pinned by ada\n")));
}

TEST(Pin, KeepsAuthorTimeReasonAndTheReplacedPin) {
  const Workspace workspace(pin_base);
  workspace.write("must.txt", "T001 0 A001 1\nT002 0 B002 1\n");
  EXPECT_THAT(
      run_night(workspace, "pin", "base.run", {"--why", "new\nweights", "--must-find", "must.txt"})
          .out,
      ::testing::EndsWith("\nmain: night 2 pinned by ada, with 2 citations that must be found; it "
                          "replaces night 1\n"));
  EXPECT_EQ(workspace
                .run({"pin", "nights.db", "--from", "1", "--name", "old", "--why", "kept"},
                     {{"LOGNAME", "grace"}})
                .exit_code,
            0);
  const Outcome list = workspace.run({"pin", "nights.db", "--list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out,
              AllOf(ContainsRegex("20..-..-.. ..:.. +main +1 +- +0 +ada +first release\n"),
                    ContainsRegex("20..-..-.. ..:.. +main \\* +2 +1 +2 +ada +new weights\n"),
                    ContainsRegex("20..-..-.. ..:.. +old \\* +1 +- +0 +grace +kept\n")));
  // Pinned again without them.
  EXPECT_THAT(run_night(workspace, "pin", "base.run", {"--why", "newer"}).out,
              ::testing::EndsWith("\nmain: night 3 pinned by ada; it replaces night 2, whose 2 "
                                  "citations that had to be found may be lost now; repeat "
                                  "--must-find\n"));
}

TEST(Pin, SourceMayBeWrittenAsNightN) {
  const Workspace workspace(pin_base);
  for (const char* from : {"night 1", "evaluation 1"}) {
    const Outcome outcome =
        workspace.run({"pin", "nights.db", "--from", from, "--name", "two", "--why", "x"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
}

TEST(Pin, StoreWithoutPinsHasAMessage) {
  const Workspace workspace;
  EXPECT_THAT(refused_pin(workspace.run({"pin", "nights.db", "--list"})), HasSubstr("nights.db"));
  EXPECT_FALSE(workspace.has("nights.db"));
}

TEST(Pin, RefusesCitationsThatTheBaselineDoesNotFindAndWritesNothing) {
  const Workspace workspace;
  write_night_qrels(workspace, 3);
  write_night_run(workspace, "base.run", 3, [](int topic) {
    return NightRanks{1, topic == 2 ? 0 : 3};
  });
  workspace.write("must.txt", "T001 0 A001 1\nT002 0 B002 1\nT009 0 A009 1\nT003 0 C 0\n");
  EXPECT_THAT(refused_pin(run_night(workspace, "pin", "base.run",
                                    {"--why", "x", "--must-find", "must.txt"})),
              AllOf(HasSubstr("must.txt: 2 citations are not found"),
                    HasSubstr("topic 'T002' did not find 'B002' among its 2 relevant documents"),
                    HasSubstr("topic 'T009' is not in the night to be pinned")));
  EXPECT_FALSE(workspace.has("nights.db"));
}

TEST(Pin, MustFindCitationsAreMatchedUnderTheDocnoPolicy) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 EP1000001A1 1\n");
  workspace.write("base.run", "T1 Q0 EP-1000001-B1 1 1.0 x\n");
  workspace.write("must.txt", "T1 0 ep1000001 1\n");
  EXPECT_EQ(workspace
                .run({"pin", "nights.db", "--from", "base.run", "--qrels", "qrels.txt", "--docno",
                      "patent", "--why", "x", "--must-find", "must.txt"})
                .exit_code,
            0);
}

TEST(Pin, RefusesAMissingReasonOrSource) {
  const Workspace workspace;
  write_night_qrels(workspace, 2);
  write_night_run(workspace, "base.run", 2, [](int) { return NightRanks{1, 3}; });
  EXPECT_THAT(refused_pin(run_night(workspace, "pin", "base.run")), HasSubstr("--why is missing"));
  EXPECT_THAT(refused_pin(run_night(workspace, "pin", "base.run", {"--why", "  "})),
              HasSubstr("--why is missing"));
  EXPECT_THAT(
      refused_pin(run_night(workspace, "pin", "base.run", {"--why", "x", "--must-find", ""})),
      HasSubstr("--must-find is empty; expected a qrels file"));
  EXPECT_THAT(refused_pin(workspace.run({"pin", "nights.db", "--why", "x"})),
              HasSubstr("--from is missing"));
  EXPECT_THAT(refused_pin(workspace.run({"pin", "nights.db", "--why", "x", "--from", "base.run"})),
              HasSubstr("the run 'base.run' needs judgements; give them with --qrels FILE"));
  EXPECT_THAT(refused_pin(run_night(workspace, "pin", "base.run", {"--why", "x", "--index", "i"})),
              HasSubstr("--index: has no meaning for a run file ('base.run')"));
  EXPECT_THAT(refused_pin(run_night(workspace, "pin", "base.run", {"--why", "x", "--depth", "0"})),
              HasSubstr("--depth: '0' is not a whole number from 1"));
  EXPECT_FALSE(workspace.has("nights.db"));
}

TEST(Pin, UnknownEvaluationLeavesTheStoreUnchanged) {
  const Workspace workspace(pin_base);
  const std::string before = workspace.read("nights.db");
  EXPECT_THAT(refused_pin(workspace.run({"pin", "nights.db", "--from", "7", "--why", "x"})),
              HasSubstr("7"));
  EXPECT_EQ(workspace.read("nights.db"), before);
}

}  // namespace
}  // namespace prescope::testing
