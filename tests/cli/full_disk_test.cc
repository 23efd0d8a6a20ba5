// A disk that is full when a night is to be stored: a file system of 2 MB in a mount namespace of
// the test's own. Skipped if this process may not mount.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Outcome run_script(const Workspace& workspace, const std::string& script) {
  return run_program({.arguments = {"-m", "/bin/sh", "-c", script, prescope_program()},
                      .environment = {{"USER", "ada"}},
                      .folder = workspace.folder(),
                      .program = "/usr/bin/unshare"});
}

class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string probe = "mkdir -p disk && mount -t tmpfs -o size=2m tmpfs disk";
    if (run_script(workspace_, probe).exit_code != 0) GTEST_SKIP() << "may not mount";
    pin_base(workspace_);
  }

  /// Runs the command on the store in the file system, in which `left` kB are free. Afterwards the
  /// store is in the folder `after`.
  [[nodiscard]] Outcome run_with(int left, const std::string& command) const {
    return run_script(workspace_, R"(
mount -t tmpfs -o size=2m tmpfs disk && cp nights.db disk || exit 99
head -c )" + std::to_string(left * 1024) +
                                      R"( /dev/zero > disk/room
cat /dev/zero > disk/filler 2> /dev/null
rm disk/room
"$0" )" + command + R"( --qrels qrels.txt -m PRES@10,R@10
code=$?
rm disk/filler
mkdir -p after && cp disk/nights.db* after
exit $code)");
  }

  /// The store can be read, and has `nights` nights.
  void expect_nights(std::size_t nights) const {
    const Outcome history = workspace_.run({"history", "after/nights.db", "--format", "csv"});
    EXPECT_EQ(history.exit_code, 0) << history.err;
    EXPECT_EQ(workspace_.run({"gate", "after/nights.db", "--from", "1", "--dry-run"}).exit_code, 0);
    EXPECT_THAT(workspace_.run({"history", "after/nights.db"}).out,
                HasSubstr("nights    " + std::to_string(nights) + " night"));
  }

  Workspace workspace_;
};

TEST_F(FullDisk, TheVerdictIsPrintedAndTheStoreStaysReadable) {
  for (const int left : {0, 8, 40, 48}) {
    SCOPED_TRACE(std::to_string(left) + " kB left");
    const Outcome gated = run_with(left, "gate disk/nights.db --from base.run");
    EXPECT_THAT(gated.out, AllOf(StartsWith("PASS: tonight found the same documents"),
                                 HasSubstr("nothing stored: ")));
    EXPECT_THAT(gated.err, HasSubstr("the verdict was not stored"));
    EXPECT_EQ(gated.exit_code, 2);  // nothing that went wrong ends with 0
    expect_nights(1);
  }
}

TEST_F(FullDisk, AReportOfTheNightBeforeIsNotLeftBehind) {
  const Outcome gated = run_script(workspace_, R"(
mount -t tmpfs -o size=2m tmpfs disk || exit 99
"$0" gate nights.db --from base.run --qrels qrels.txt -m PRES@10,R@10 --json disk/g.json || exit 98
cat /dev/zero > disk/filler 2> /dev/null
sed s/A0/X0/ base.run > worse.run
"$0" gate nights.db --from worse.run --qrels qrels.txt -m PRES@10,R@10 --json disk/g.json
code=$?
cp disk/g.json after.json
exit $code)");
  EXPECT_EQ(gated.exit_code, 1) << gated.err;
  EXPECT_THAT(gated.out, HasSubstr("REGRESSION: night 3 is worse"));
  EXPECT_THAT(gated.err, HasSubstr("disk/g.json: cannot be written: No space left on device"));
  EXPECT_FALSE(workspace_.has("after.json"));
}

TEST_F(FullDisk, CommandsThatReadNeedNoRoom) {
  for (const char* const command : {"history disk/nights.db", "pin disk/nights.db --list",
                                    "gate disk/nights.db --from 1 --dry-run"}) {
    const Outcome read = run_script(workspace_, std::string(R"(
mount -t tmpfs -o size=2m tmpfs disk && cp nights.db disk || exit 99
cat /dev/zero > disk/filler 2> /dev/null
"$0" )") + command + " && \"$0\" " + command);
    EXPECT_EQ(read.exit_code, 0) << command << ": " << read.err;
    EXPECT_THAT(read.out, HasSubstr("main"));
  }
}

TEST_F(FullDisk, PinSaysThatItDidNotPin) {
  for (const int left : {0, 8, 40, 48}) {
    SCOPED_TRACE(std::to_string(left) + " kB left");
    const Outcome pinned = run_with(left, "pin disk/nights.db --from base.run --why again");
    EXPECT_EQ(pinned.exit_code, 2);
    EXPECT_THAT(pinned.err, HasSubstr("disk/nights.db: "));
    EXPECT_THAT(pinned.out, ::testing::Not(HasSubstr("pinned by")));
    expect_nights(1);
  }
}

}  // namespace
}  // namespace prescope::testing
