// A command runs exactly once although its host is killed at any moment and started again.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <random>
#include <thread>

#include "actions/journal.h"
#include "support/built_files.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A running action_host, killed at the end of its life here.
class Host {
 public:
  Host(const std::filesystem::path& journal, const std::string& command) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const std::string program = testing::bin_folder() / "action_host";
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execl(program.c_str(), program.c_str(), journal.c_str(), command.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
  }
  ~Host() {
    ::kill(child_, SIGKILL);
    int status = 0;
    waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    std::fclose(out_);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Waits until it says that the journal has the event.
  void wait_for_event() {
    char line[256];
    EXPECT_NE(std::fgets(line, sizeof line, out_), nullptr);
  }

 private:
  pid_t child_ = -1;
  std::FILE* out_ = nullptr;
};

bool has_ended(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "journal")) return false;
  Journal journal(folder);
  return !journal.events().empty() && journal.open(Journal::Work::kCommand).empty();
}

/// Waits for another process; the test's own time limit ends it.
void wait_for_end(const std::filesystem::path& journal) {
  while (!has_ended(journal)) std::this_thread::sleep_for(milliseconds(2));
}

std::string ran(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The state of the journal at a kill.
std::string moment_of(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "journal")) return "no journal";
  Journal journal(folder);
  const std::set<std::string> events = journal.events();
  if (events.empty()) return "no event";
  if (journal.ended(*events.begin(), Journal::Work::kCommand)) return "ended";
  return journal.begun(*events.begin()) ? "begun" : "due";
}

TEST(ActionKills, CommandRunsExactlyOnce) {
  const auto run = [](const std::function<void(const std::filesystem::path& journal,
                                               const std::string& command)>& lives,
                      const std::string& pause) {
    const ScratchFolder scratch;
    const std::filesystem::path journal = scratch.path() / "acts", file = scratch.path() / "ran";
    const std::string command =
        pause + "echo \"$PRESCOPE_EVENT_ID\" >> '" + file.string() + "'; " + pause;
    lives(journal, command);
    {
      const Host last(journal, command);
      wait_for_end(journal);
    }
    {  // it finds the event again, and everything that is due
      Host after(journal, command);
      after.wait_for_event();
    }
    const std::set<std::string> events = Journal(journal).events();
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(ran(file), *events.begin() + "\n");
    EXPECT_EQ(Journal(journal).ended(*events.begin(), Journal::Work::kCommand), "0");
  };
  const auto began = Clock::now();
  run(
      [](const auto& journal, const std::string& command) {
        const Host host(journal, command);
        wait_for_end(journal);
      },
      "");
  // As long as a life to the end of its command, and half as long again.
  const auto longest = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
  std::map<std::string, int> moments;
  std::mt19937 random(20261201);
  for (std::uint64_t kill = 0; kill < number_of_cases(50); ++kill) {
    SCOPED_TRACE(kill);
    run(
        [&](const auto& journal, const std::string& command) {
          for (std::uint32_t lives = 1 + random() % 2; lives > 0; --lives) {
            {
              Host host(journal, command);
              // Half of the kills are aimed at the moments after the event.
              if (random() % 2 == 0) {
                host.wait_for_event();
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
              } else {
                std::this_thread::sleep_for(std::chrono::microseconds(
                    random() % static_cast<std::uint64_t>(longest.count())));
              }
            }
            ++moments[moment_of(journal)];
          }
        },
        random() % 2 == 0 ? "sleep 0.01; " : "");
  }
  for (const auto& [moment, count] : moments) RecordProperty(moment, count);
}

}  // namespace
}  // namespace prescope
