// Commands that are killed, and disks that are full: the store keeps all of a night, or nothing.
// PRESCOPE_TEST_KILLS=200 kills more often.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "store/sqlite/database.h"
#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kTopics = 200;

int kills_asked_for() {
  const char* text = std::getenv("PRESCOPE_TEST_KILLS");
  return text == nullptr ? 30 : std::atoi(text);
}

/// The rows of a store that commands add.
struct Rows {
  std::int64_t nights = 0, verdicts = 0, pins = 0, attempts = 0;
};

Rows rows_of(const Workspace& workspace) {
  // May write, so that it leaves no log behind.
  const Database store(workspace.path("nights.db"), Database::Access::kUpdate);
  const auto count = [&](const std::string& what) {
    return store.number("SELECT count(*) FROM " + what);
  };
  EXPECT_EQ(texts_of(store, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  EXPECT_EQ(count("pragma_foreign_key_check"), 0);
  EXPECT_EQ(count("evaluations e WHERE topics <> (SELECT count(*) FROM evaluation_topics t "
                  "WHERE t.evaluation = e.number)"),
            0);
  EXPECT_EQ(count("evaluations WHERE number NOT IN (SELECT evaluation FROM evaluation_means)"), 0);
  EXPECT_EQ(count("evaluations WHERE number NOT IN (SELECT evaluation FROM verdicts) "
                  "AND number NOT IN (SELECT evaluation FROM pins)"),
            0);
  EXPECT_EQ(count("verdicts WHERE number NOT IN (SELECT verdict FROM verdict_rules)"), 0);
  return {.nights = count("evaluations"),
          .verdicts = count("verdicts"),
          .pins = count("pins"),
          .attempts = count("attempts")};
}

void set_up_nights(const Workspace& workspace) {
  write_night_qrels(workspace, kTopics);
  write_night_run(workspace, "base.run", kTopics, [](int) { return NightRanks{1, 3}; });
  ASSERT_EQ(run_night(workspace, "pin", "base.run", {"--why", "first release"}).exit_code, 0);
}

std::vector<std::string> night_command(const std::string& command) {
  std::vector<std::string> words = {command,   "nights.db", "--from", "base.run",
                                    "--qrels", "qrels.txt", "-m",     "PRES@10,R@10"};
  if (command == "pin") words.insert(words.end(), {"--why", "again"});
  return words;
}

/// Kills a command at moments spread over the time that it takes, and looks at the store each time.
class Killer {
 public:
  Killer(const Workspace& workspace, std::vector<std::string> words)
      : invocation_{.arguments = std::move(words),
                    .environment = {{"USER", "ada"}},
                    .folder = workspace.folder()} {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(run_program(invocation_).exit_code, 0);
    longest_ = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begin);
  }

  /// Returns the command's outcome; 137 if it was killed.
  int kill_once(std::mt19937& random) {
    std::uniform_int_distribution<std::int64_t> delays(0, longest_.count() * 11 / 10);
    RunningProgram program(invocation_);
    std::this_thread::sleep_for(std::chrono::microseconds(delays(random)));
    return program.end(SIGKILL).exit_code;
  }

 private:
  Invocation invocation_;
  std::chrono::microseconds longest_{};
};

/// The command that follows a kill, after which one file has everything.
void expect_one_file_after_next(const Workspace& workspace) {
  EXPECT_EQ(workspace.run({"history", "nights.db"}).exit_code, 0);
  EXPECT_FALSE(workspace.has("nights.db-wal"));
  EXPECT_FALSE(workspace.has("nights.db-shm"));
}

void kill_again_and_again(const std::string& command, int times) {
  const Workspace workspace(set_up_nights);
  Killer killer(workspace, night_command(command));
  std::mt19937 random(23);
  int killed = 0;
  Rows before = rows_of(workspace);
  // On a busy machine many kills come too late; then there are more of them.
  const auto is_enough = [&](int kills) {
    return kills >= times && (killed > times / 3 || kills >= 10 * times);
  };
  for (int i = 0; !is_enough(i) && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(command + ", kill " + std::to_string(i));
    const int exit_code = killer.kill_once(random);
    if (exit_code != 0) ++killed;
    expect_one_file_after_next(workspace);
    const Rows after = rows_of(workspace);
    const std::int64_t more = after.nights - before.nights;
    const bool is_gate = command == "gate";
    EXPECT_TRUE(more == 1 || (more == 0 && exit_code != 0)) << more << ", exit " << exit_code;
    EXPECT_EQ(after.verdicts - before.verdicts, is_gate ? more : 0);
    EXPECT_EQ(after.pins - before.pins, is_gate ? 0 : more);
    // A gate that was killed is known of, if it had begun; one with a verdict was not killed.
    EXPECT_LE(after.attempts - before.attempts, is_gate ? 1 - more : 0);
    before = after;
  }
  EXPECT_GT(killed, times / 3) << "the kills came too late";
}

TEST(KilledCommands, PinKeepsAllOrNothing) { kill_again_and_again("pin", kills_asked_for() / 3); }

TEST(KilledCommands, GateKeepsAllOrNothing) { kill_again_and_again("gate", kills_asked_for() / 3); }

// It only reads; the store is that of a replay.
TEST(KilledCommands, LogChangesNothing) {
  const Workspace workspace(set_up_toy);
  ASSERT_EQ(workspace.run({"replay", "experiment.toml", "--store", "nights.db"}).exit_code, 0);
  const std::string before = workspace.run({"log", "nights.db"}).out;
  EXPECT_THAT(before, HasSubstr("forward"));
  Killer killer(workspace, {"log", "nights.db"});
  std::mt19937 random(23);
  for (int i = 0; i < kills_asked_for() / 3 && !HasFailure(); ++i) {
    killer.kill_once(random);
    expect_one_file_after_next(workspace);
    EXPECT_EQ(workspace.run({"log", "nights.db"}).out, before);
    EXPECT_FALSE(workspace.has("nights.db-wal"));
  }
}

}  // namespace
}  // namespace prescope::testing
