// Input that pin and gate refuse: exit code 2, one clear sentence, nothing written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "store/sqlite/database.h"
#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
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

  /// Gates, is refused, and finds every other file as it was, and the refusal in the history.
  std::string refused_gate(const std::vector<std::string>& more) {
    auto before = everything_in(workspace_);
    const std::string said = refused(run_night(workspace_, "gate", "base.run", more));
    auto after = everything_in(workspace_);
    for (auto* files : {&before, &after}) files->erase("nights.db");
    EXPECT_EQ(after, before);
    EXPECT_THAT(workspace_.run({"history", "nights.db", "--format", "csv"}).out,
                ContainsRegex("\n1,.*\n,20[^,]*,,run base.run,,,NOT JUDGED,"));
    return said;
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
  EXPECT_THAT(
      refused_untouched([&] { return run_night(workspace_, "gate", "base.run", {"--dry-rum"}); }),
      HasSubstr("--dry-run"));
}

const std::vector<std::string> kReports = {"--json",     "g.json", "--junit", "g.xml",
                                           "--markdown", "g.md",   "--html",  "g.html"};

/// Expects that no report of the folder has a verdict, and all of them have the reason.
void expect_not_judged(const Workspace& workspace, const std::string& reason) {
  const nlohmann::json result = workspace.read_json("g.json");
  EXPECT_EQ(result["outcome"], "NOT JUDGED");
  EXPECT_EQ(result["exit_code"], 2);
  EXPECT_THAT(result["reason"].get<std::string>(), HasSubstr(reason));
  EXPECT_THAT(workspace.read("g.xml"),
              AllOf(HasSubstr("errors=\"1\""), HasSubstr("<error message="), HasSubstr(reason)));
  EXPECT_THAT(workspace.read("g.md"), AllOf(StartsWith("## NOT JUDGED"), HasSubstr("base.run")));
  EXPECT_THAT(workspace.read("g.html"), AllOf(HasSubstr("NOT JUDGED: main"), HasSubstr(reason)));
}

// The reports of the night before said PASS.
TEST_F(GateBadInput, ARefusalReplacesTheReportsOfTheNightBefore) {
  ASSERT_EQ(run_night(workspace_, "gate", "base.run", kReports).exit_code, 0);
  fs::rename(workspace_.path("base.run"), workspace_.path("elsewhere"));
  EXPECT_THAT(refused(run_night(workspace_, "gate", "base.run", kReports)), HasSubstr("base.run"));
  expect_not_judged(workspace_, "base.run");
  EXPECT_THAT(workspace_.run({"history", "nights.db"}).out,
              ContainsRegex("Not judged\n  20..-..-.. ..:.. UTC, run base.run against main: "));
  EXPECT_THAT(workspace_.run({"history", "nights.db", "--format", "json"}).out,
              HasSubstr("The last gate gave no verdict: "));
}

// The reports of the night before said PASS.
TEST_F(GateBadInput, WrongArgumentsReplaceTheReportsOfTheNightBefore) {
  const struct {
    std::vector<std::string> before, after;
    std::string reason;
  } cases[] = {
      {{}, {"--dry-rum"}, "unknown option '--dry-rum'; did you mean '--dry-run'?"},
      {{"--dry-rum"}, {}, "unknown option '--dry-rum'"},
      {{}, {"-x"}, "unknown option '-x'; valid: "},
      {{}, {"--top", "x"}, "--top: 'x' is not a whole number"},
      {{}, {"other.run"}, "unexpected argument 'other.run'"},
      {{}, {"--baseline"}, "--baseline: its value is missing"},
      {{"--baseline"}, {}, "--baseline: its value is missing"},
  };
  const std::string store = content_of(workspace_.path("nights.db"));
  for (const auto& [before, after, reason] : cases) {
    std::vector<std::string> reports = kReports;
    reports.insert(reports.begin(), "--dry-run");
    ASSERT_EQ(run_night(workspace_, "gate", "base.run", reports).exit_code, 0);
    std::vector<std::string> words = before;
    words.insert(words.end(), kReports.begin(), kReports.end());
    words.insert(words.end(), after.begin(), after.end());
    EXPECT_THAT(refused(run_night(workspace_, "gate", "base.run", words)), HasSubstr(reason));
    expect_not_judged(workspace_, reason);
  }
  EXPECT_EQ(content_of(workspace_.path("nights.db")), store);
}

TEST_F(GateBadInput, WrongArgumentsOverwriteNoInput) {
  const std::string qrels = workspace_.read("qrels.txt");
  workspace_.write("x.xml", "yesterday");
  refused(run_night(workspace_, "gate", "base.run",
                    {"--json", "qrels.txt", "--junit", "x.xml", "--html", "x.xml"}));
  EXPECT_EQ(workspace_.read("qrels.txt"), qrels);
  EXPECT_THAT(workspace_.read("x.xml"), HasSubstr("errors=\"1\""));
}

TEST_F(GateBadInput, AReportBehindAnUnknownOptionIsNamed) {
  workspace_.write("g.json", "yesterday");
  const Outcome outcome =
      run_night(workspace_, "gate", "base.run", {"--jsn", "g.json", "--junit", "g.xml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("note: g.json: left as it was, because no known option names it"),
                    HasSubstr("unknown option '--jsn'; did you mean '--json'?")));
  EXPECT_EQ(workspace_.read("g.json"), "yesterday");
  EXPECT_THAT(workspace_.read("g.xml"), HasSubstr("errors=\"1\""));
}

TEST_F(GateBadInput, AReportThatCannotBeWrittenIsAnErrorInTheOthers) {
  fs::create_directory(workspace_.path("folder"));
  const Outcome outcome = run_night(workspace_, "gate", "base.run",
                                    {"--json", "g.json", "--junit", "g.xml", "--html", "folder"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(workspace_.read_json("g.json")["exit_code"], 2);
  EXPECT_THAT(workspace_.read("g.xml"),
              AllOf(HasSubstr("errors=\"1\""), HasSubstr("folder: is a folder")));
}

TEST_F(GateBadInput, AKilledGateLeavesATrace) {
  ASSERT_EQ(run_night(workspace_, "gate", "base.run", kReports).exit_code, 0);
  fs::remove(workspace_.path("base.run"));
  ASSERT_EQ(::mkfifo(workspace_.path("base.run").c_str(), 0600), 0);  // nobody writes: it waits
  std::vector<std::string> words = {"-c",
                                    "ulimit -t 60; exec timeout -s KILL 2 \"$0\" \"$@\"",
                                    prescope_program(),
                                    "gate",
                                    "nights.db",
                                    "--from",
                                    "base.run",
                                    "--qrels",
                                    "qrels.txt"};
  words.insert(words.end(), kReports.begin(), kReports.end());
  const Outcome killed = run_program({.arguments = std::move(words),
                                      .environment = {},
                                      .folder = workspace_.folder(),
                                      .program = "/bin/sh"});
  EXPECT_NE(killed.exit_code, 0);
  expect_not_judged(workspace_, "the gate has not finished");
  EXPECT_THAT(workspace_.run({"history", "nights.db", "--format", "csv"}).out,
              HasSubstr("NOT JUDGED,\"the gate has not finished;"));
}

TEST_F(GateBadInput, AVerdictThatCannotBeStoredIsPrinted) {
  Database other(workspace_.path("nights.db"), Database::Access::kUpdate);
  other.run("BEGIN IMMEDIATE");
  const Outcome outcome = run_night(workspace_, "gate", "base.run", kReports);
  EXPECT_EQ(outcome.exit_code, 2);  // nothing that went wrong ends with 0
  EXPECT_THAT(outcome.out, AllOf(StartsWith("PASS: tonight found the same documents"),
                                 HasSubstr("nothing stored: nights.db: another process has been")));
  EXPECT_THAT(outcome.err, HasSubstr("the verdict was not stored"));
  EXPECT_EQ(workspace_.read_json("g.json")["outcome"], "PASS");
  EXPECT_EQ(workspace_.read_json("g.json")["exit_code"], 2);
}

TEST_F(GateBadInput, PinSaysWhetherItPinnedIfItsOutputIsLost) {
  const auto pin_into = [&](const std::string& redirection) {
    return run_program(
        {.arguments = {"-c", "exec \"$0\" \"$@\" " + redirection, prescope_program(), "pin",
                       "nights.db", "--from", "base.run", "--qrels", "qrels.txt", "--why", "x"},
         .environment = {{"USER", "ada"}},
         .folder = workspace_.folder(),
         .program = "/bin/sh"});
  };
  EXPECT_THAT(refused(pin_into("> /dev/full")), HasSubstr("nothing was pinned"));
  EXPECT_EQ(std::ranges::count(workspace_.run({"pin", "nights.db", "--list"}).out, '\n'), 4);
  // Nobody listens, which is no reason not to pin.
  EXPECT_EQ(pin_into("| true").exit_code, 0);
  EXPECT_EQ(std::ranges::count(workspace_.run({"pin", "nights.db", "--list"}).out, '\n'), 5);
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
