// Acknowledged observations survive a kill at any moment.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <random>
#include <thread>

#include "store/sqlite/database.h"
#include "support/built_files.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

/// The program that writes, killed at the end of its life here.
class Writer {
 public:
  explicit Writer(const std::string& store) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const std::string program = prescope::testing::bin_folder() / "log_writer";
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      execl(program.c_str(), program.c_str(), store.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
  }
  ~Writer() { std::fclose(out_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// The next number that it acknowledged; 0 at its end.
  std::uint64_t next() {
    unsigned long long number = 0;
    return std::fscanf(out_, "%llu", &number) == 1 ? number : 0;
  }
  void kill() const {
    ::kill(child_, SIGKILL);
    int status = 0;
    waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
  }

 private:
  pid_t child_ = -1;
  std::FILE* out_ = nullptr;
};

std::int64_t rows_in(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? open_store_file(path, Database::Access::kRead)
                                             .number("SELECT ifnull(max(seq), 0) FROM observations")
                                       : 0;
}

/// Behind row `before`: the first `acknowledged` observations at least, as they were written.
void expect_stored(const std::filesystem::path& path, std::int64_t before,
                   std::uint64_t acknowledged) {
  const Database database = open_store_file(path, Database::Access::kRead);
  Statement check(database, "PRAGMA integrity_check");
  ASSERT_TRUE(check.bind().next());
  EXPECT_EQ(check.text(0), "ok");
  check.rewind();
  Statement rows(database,
                 "SELECT count(*), count(CASE WHEN total_hits = seq - ?1 AND self_ns = 2500 THEN 1"
                 " END), ifnull(max(seq) - ?1, 0) FROM observations WHERE seq > ?1");
  ASSERT_TRUE(rows.bind(before).next());
  EXPECT_GE(rows.integer(0), static_cast<std::int64_t>(acknowledged));
  EXPECT_EQ(rows.integer(1), rows.integer(0)) << "each is the one that its number says";
  EXPECT_EQ(rows.integer(2), rows.integer(0)) << "none is missing in between";
}

/// The sums by hour are those of the rows, always; those by topic of the rows rolled up so far.
void expect_sums(const std::filesystem::path& path) {
  const Database database = open_store_file(path, Database::Access::kRead);
  EXPECT_EQ(database.number("SELECT ifnull(sum(judged), 0) FROM hourly"),
            database.number("SELECT count(*) FROM observations"));
  EXPECT_EQ(database.number("SELECT ifnull(sum(visits), 0) FROM topic_totals"),
            database.number("SELECT rolled_up_to FROM log_state"));
}

TEST(LogCrash, FiftyKillsLoseNoAcknowledgedObservation) {
  const std::uint64_t stores = number_of_cases(10);
  constexpr int kKills = 5;
  std::mt19937_64 random(20260101);
  for (std::uint64_t s = 0; s < stores && !HasFailure(); ++s) {
    const ScratchFolder scratch;
    const auto path = scratch.path() / "store.db";
    for (int k = 0; k < kKills && !HasFailure(); ++k) {
      const std::int64_t before = rows_in(path);
      Writer writer(path.string());
      // Some are killed before anything is acknowledged.
      std::uint64_t acknowledged = 0;
      for (std::uint64_t waited = random() % 6; waited > 0; --waited) acknowledged = writer.next();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
      writer.kill();
      while (const std::uint64_t later = writer.next()) acknowledged = later;
      if (!std::filesystem::exists(path)) continue;
      SCOPED_TRACE("store " + std::to_string(s) + ", kill " + std::to_string(k));
      expect_stored(path, before, acknowledged);
      expect_sums(path);
    }
  }
}

}  // namespace
}  // namespace prescope
