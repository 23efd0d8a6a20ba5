// A writer that is killed leaves the state before or after a commit, and no file.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "citations/store_samples.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr std::uint64_t kCommitsOfCrash = 24;

PlainStore documents_of_commit(std::uint64_t commit) {
  return PlainDocuments(1000 + commit).some(commit == 0 ? 600 : 40 + commit * 11 % 400);
}

/// Commits until it is killed; acknowledges each commit by a byte.
[[noreturn]] void commit_all(const std::filesystem::path& path, std::uint64_t first, int out) {
  for (std::uint64_t i = first; i < kCommitsOfCrash; ++i) {
    commit_plain(path, documents_of_commit(i), std::to_string(i));
    if (::write(out, "+", 1) != 1) ::_exit(1);
  }
  ::_exit(0);
}

/// Lets a child go on with the commits, waits for some of them and then for that time, kills it and
/// returns how many commits it acknowledged.
std::uint64_t acknowledged_before_kill(const std::filesystem::path& path, std::uint64_t first,
                                       std::uint64_t waits_for, std::chrono::microseconds after) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) commit_all(path, first, ends[1]);
  ::close(ends[1]);
  std::uint64_t acknowledged = 0;
  char byte = 0;
  while (acknowledged < waits_for && ::read(ends[0], &byte, 1) == 1) ++acknowledged;
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  while (::read(ends[0], &byte, 1) == 1) ++acknowledged;
  ::close(ends[0]);
  return acknowledged;
}

TEST(CitationStoreCrash, ForkedChildrenKilledAtFiftyPointsLeaveAWholeState) {
  const ScratchFolder scratch;
  std::vector<std::uint64_t> hashes = {0};  // after each number of commits
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < kCommitsOfCrash; ++i) {
    commit_plain(scratch.path() / "expected", documents_of_commit(i), std::to_string(i));
    hashes.push_back(CitationStore::open(scratch.path() / "expected").content_hash());
  }
  // The time of a commit and a half, however fast the disk is.
  const std::chrono::microseconds most = std::chrono::duration_cast<std::chrono::microseconds>(
      (std::chrono::steady_clock::now() - begin) / kCommitsOfCrash * 3 / 2);
  std::mt19937_64 random(20260102);
  std::set<std::uint64_t> states;
  for (std::uint64_t kills = 0; kills < number_of_cases(50);) {
    const ScratchFolder folder;
    const auto path = folder.path() / "citations.store";
    for (std::uint64_t done = 0; done < kCommitsOfCrash && kills < number_of_cases(50); ++kills) {
      const std::uint64_t acknowledged = acknowledged_before_kill(
          path, done, random() % 3, std::chrono::microseconds(random() % most.count()));
      std::uint64_t found = 0;
      if (std::filesystem::exists(path)) {
        const CitationStore store = CitationStore::open(path);
        store.verify();
        found = store.files().size();
        ASSERT_LE(found, kCommitsOfCrash);
        ASSERT_EQ(store.content_hash(), hashes[found]);
      }
      ASSERT_GE(found, done + acknowledged);
      ASSERT_LE(found, done + acknowledged + 1);
      { const CitationStoreWriter cleans(path); }
      const auto files = std::filesystem::directory_iterator(folder.path());
      ASSERT_LE(std::distance(files, {}), 1) << "the store alone";
      done = found;
      states.insert(done);
    }
  }
  EXPECT_GT(states.size(), 5U) << "the kills were at different points";
}

}  // namespace
}  // namespace prescope
