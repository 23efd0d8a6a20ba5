// Processes that die while they write, and processes that read meanwhile.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <thread>

#include "store/nights/store.h"
#include "store/sqlite/database.h"
#include "support/made_up_evaluations.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

/// The evaluation that has this number in a store that only one process writes to.
EvaluationRecord record_of(std::int64_t number) {
  return made_up({.seed = static_cast<std::uint32_t>(number),
                  .topics = 15,
                  .time = UtcTime(std::chrono::hours(number))});
}

/// Another process, and the numbers that it says on its way.
class Process {
 public:
  explicit Process(const std::function<void(int say)>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      try {
        work(ends[1]);
        _exit(0);
      } catch (const std::exception& failure) {
        std::fputs(failure.what(), stderr);
        _exit(1);
      }
    }
    close(ends[1]);
    heard_ = ends[0];
  }
  ~Process() { close(heard_); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill() const { ::kill(pid_, SIGKILL); }
  /// The next number said; nothing once the process has ended.
  [[nodiscard]] std::optional<std::int64_t> read_acknowledged() const {
    std::int64_t number = 0;
    const bool said = read(heard_, &number, sizeof number) == sizeof number;
    return said ? std::optional(number) : std::nullopt;
  }
  /// Returns the exit code, or -1 if a signal ended the process.
  [[nodiscard]] int wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int heard_ = -1;
};

/// Adds evaluations `first` and the following, and says the number of each one added.
void add_until_killed(const std::filesystem::path& path, std::int64_t first, std::int64_t end,
                      int say) {
  Store store = Store::open(path, Store::Access::kWrite);
  for (std::int64_t expected = first; expected < end; ++expected) {
    const std::int64_t number = store.add(record_of(expected));
    if (number != expected || write(say, &number, sizeof number) != sizeof number) _exit(2);
  }
}

void expect_sound(const std::filesystem::path& path) {
  const Database database = open_store_file(path, Database::Access::kRead);
  Statement check(database, "PRAGMA integrity_check");
  ASSERT_TRUE(check.next());
  EXPECT_EQ(check.text(0), "ok");
  EXPECT_FALSE(Statement(database, "PRAGMA foreign_key_check").next());
}

TEST(StoreCrash, AcknowledgedEvaluationsSurviveAKill) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.store";
  std::mt19937 random(20261122);
  std::int64_t last = 0;
  std::uint32_t longest_us = 6000;  // the first rounds die while the file is made
  for (int round = 0; round < 25; ++round) {
    if (round == 8) longest_us = 40'000;
    // A slow machine is given more time until it has added something.
    if (round > 8 && last == 0) longest_us = std::min(2 * longest_us, 5'000'000U);
    const Process writer([&](int say) { add_until_killed(path, last + 1, INT64_MAX, say); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % longest_us));
    writer.kill();
    std::int64_t acknowledged = last;
    while (const auto number = writer.read_acknowledged()) acknowledged = *number;
    EXPECT_EQ(writer.wait(), -1);
    const Store store = Store::open(path, Store::Access::kWrite);
    expect_sound(path);
    const std::vector<Night> nights = store.nights();
    // The evaluation that was being added at the kill may be there too, but only as a whole.
    last = std::int64_t(nights.size());
    EXPECT_GE(last, acknowledged);
    EXPECT_LE(last, acknowledged + 1);
    for (std::int64_t number = std::max<std::int64_t>(1, acknowledged); number <= last; ++number) {
      expect_same(store.evaluation(number), record_of(number));
    }
  }
  EXPECT_GT(last, 0) << "no round was long enough to add anything";
}

TEST(StoreCrash, OneProcessReadsWhileAnotherWrites) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.store";
  static_cast<void>(Store::open(path, Store::Access::kWrite));
  constexpr std::int64_t kEnd = 150;
  const Process writer([&](int say) { add_until_killed(path, 1, kEnd, say); });
  const Store store = Store::open(path, Store::Access::kRead);
  std::size_t before = 0;
  while (const auto acknowledged = writer.read_acknowledged()) {
    const std::vector<Night> nights = store.nights();
    ASSERT_GE(nights.size(), std::max<std::size_t>(before, std::size_t(*acknowledged)));
    before = nights.size();
    EXPECT_EQ(nights.back().means.size(), 3U);
    expect_same(store.evaluation(nights.back().number), record_of(nights.back().number));
  }
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(store.nights().size(), std::size_t(kEnd) - 1);
}

TEST(StoreCrash, SeveralProcessesCreateOneFile) {
  const ScratchFolder folder;
  for (int round = 0; round < 5; ++round) {
    const auto path = folder.path() / fmt::format("{}.store", round);
    std::vector<std::unique_ptr<Process>> processes;
    for (std::uint32_t i = 0; i < 6; ++i) {
      processes.push_back(std::make_unique<Process>([&](int) {
        Store::open(path, Store::Access::kWrite).add(made_up({.seed = i, .topics = 3}));
      }));
    }
    for (const auto& process : processes) EXPECT_EQ(process->wait(), 0);
    EXPECT_EQ(Store::open(path, Store::Access::kRead).nights().size(), processes.size());
  }
}

}  // namespace
}  // namespace prescope
