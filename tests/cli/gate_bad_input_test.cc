// Input that pin and gate refuse: exit code 2, one clear sentence, nothing written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

namespace fs = std::filesystem;

/// Checks that the command was refused and returns its one line on stderr.
std::string refused(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("prescope: "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  return outcome.err;
}

/// Returns every file of the folder with its bytes. Leaves out the files that SQLite keeps beside a
/// store that was only read: the index of its log, and the log itself if it is empty.
std::map<std::string, std::string> everything_in(const Workspace& workspace) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(workspace.folder())) {
    const std::string name = entry.path().filename();
    std::string content = content_of(entry.path());
    if (name.ends_with("-shm") || (name.ends_with("-wal") && content.empty())) continue;
    files[name] = std::move(content);
  }
  return files;
}

class GateBadInput : public ::testing::Test {
 protected:
  GateBadInput() { pin_base(workspace_); }

  /// Gates, is refused, and finds every file as it was.
  std::string refused_gate(const std::vector<std::string>& more) {
    return refused_untouched([&] { return run_night(workspace_, "gate", "base.run", more); });
  }
  template <class Run>
  std::string refused_untouched(Run run) {
    const auto before = everything_in(workspace_);
    const std::string said = refused(run());
    EXPECT_EQ(everything_in(workspace_), before);
    return said;
  }

  Workspace workspace_;
};

TEST_F(GateBadInput, MissingBaselineListsExistingOnes) {
  ASSERT_EQ(run_night(workspace_, "pin", "base.run", {"--name", "other", "--why", "x"}).exit_code,
            0);
  EXPECT_THAT(refused_gate({"--baseline", "mian"}),
              AllOf(HasSubstr("mian"), HasSubstr("main"), HasSubstr("other")));
}

TEST_F(GateBadInput, MissingStoreIsNotCreated) {
  EXPECT_THAT(
      refused_untouched([&] {
        return workspace_.run({"gate", "none.db", "--from", "base.run", "--qrels", "qrels.txt"});
      }),
      HasSubstr("none.db"));
}

TEST_F(GateBadInput, AFileOfAnotherProgramIsNotTouched) {
  workspace_.write("notes.txt", "These are notes, and no store at all.\n");
  for (const char* command : {"gate", "pin"}) {
    EXPECT_THAT(
        refused_untouched([&] {
          return workspace_.run({command, "notes.txt", "--from", "base.run", "--qrels", "qrels.txt",
                                 command == std::string("pin") ? "--why" : "-m", "PRES@10"});
        }),
        HasSubstr("notes.txt"));
  }
}

TEST_F(GateBadInput, AnUnknownKeyOfTheRulesIsNamedWithTheNearest) {
  workspace_.write("rules.toml", "margn = 0.02\n");
  EXPECT_THAT(refused_gate({"--rules", "rules.toml"}),
              AllOf(HasSubstr("rules.toml:1"), HasSubstr("margn"), HasSubstr("'margin'")));
}

TEST_F(GateBadInput, ANegativeMarginIsRefused) {
  workspace_.write("rules.toml", "\nmargin = -0.01\n");
  EXPECT_THAT(refused_gate({"--rules", "rules.toml"}),
              AllOf(HasSubstr("rules.toml:2"), HasSubstr("-0.01")));
}

TEST_F(GateBadInput, AMeasureThatTheBaselineWasNotMadeForIsRefused) {
  workspace_.write("rules.toml", "[[decisions]]\nmeasure = 'PRES@20'\n");
  EXPECT_THAT(refused_gate({"--rules", "rules.toml"}), HasSubstr("PRES@20"));
}

TEST_F(GateBadInput, AnotherDocnoPolicyIsRefused) {
  EXPECT_THAT(refused_gate({"--docno", "patent"}), AllOf(HasSubstr("raw"), HasSubstr("patent")));
}

TEST_F(GateBadInput, BadUsageIsRefused) {
  EXPECT_THAT(refused_untouched([&] { return workspace_.run({"gate"}); }),
              HasSubstr("STORE is missing"));
  EXPECT_THAT(refused_untouched([&] {
                return workspace_.run({"gate", "nights.db"});
              }),
              HasSubstr("--from is missing"));
  EXPECT_THAT(refused_untouched([&] {
                return workspace_.run({"gate", "nights.db", "--from", "1", "--qrels", "qrels.txt"});
              }),
              HasSubstr("--qrels: has no meaning for a stored night ('1')"));
  EXPECT_THAT(refused_gate({"--dry-rum"}), HasSubstr("--dry-run"));
}

TEST_F(GateBadInput, UnreadableRunLeavesNoOutput) {
  EXPECT_THAT(
      refused_untouched([&] {
        return run_night(workspace_, "gate", "none.run", {"--json", "g.json", "--junit", "g.xml"});
      }),
      HasSubstr("none.run"));
}

TEST_F(GateBadInput, ReadOnlyStoreIsRefusedBeforeComparing) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  fs::permissions(workspace_.folder(), fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(workspace_.path("nights.db"), fs::perms::owner_read);
  const Outcome outcome = run_night(workspace_, "gate", "base.run");
  fs::permissions(workspace_.folder(), fs::perms::owner_all);
  EXPECT_THAT(refused(outcome), HasSubstr("nights.db"));
}

}  // namespace
}  // namespace prescope::testing
