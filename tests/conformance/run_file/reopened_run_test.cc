// A run file that changes, is damaged or vanishes while it is served.
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "conformance/run_file/observed_run_fixture.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using run_file::RunSearcher;
using testing::ElementsAre;

using ReopenedRunTest = ObservedRunTest;

TEST_F(ReopenedRunTest, ANewFileOfTheSameSizeAndTimeIsNoticed) {
  write("T1 Q0 EP1 1 1 e\n");
  const auto run = opened();
  const auto time = fs::last_write_time(file());
  write("T1 Q0 EP2 1 1 e\n");
  fs::last_write_time(file(), time);
  EXPECT_TRUE(run->reopen());
  EXPECT_THAT(serve(run->searcher("a"), {.topic = "T1"}), ElementsAre("EP2"));
}

TEST_F(ReopenedRunTest, AFileThatGrowsInPlaceIsNoticed) {
  const auto run = opened_tonight();
  const auto time = fs::last_write_time(file());
  std::ofstream(file(), std::ios::app) << "T3 Q0 EP8 1 1 engine\n";
  fs::last_write_time(file(), time);  // so that its size alone tells
  EXPECT_TRUE(run->reopen());
  EXPECT_THAT(serve(run->searcher("a"), {.topic = "T3"}), ElementsAre("EP8"));
}

TEST_F(ReopenedRunTest, AFileThatIsRewrittenInPlaceIsNoticedByItsTime) {
  write("T1 Q0 EP1 1 1 e\n");
  const auto run = opened();
  const auto time = fs::last_write_time(file());
  std::ofstream(file()) << "T1 Q0 EP2 1 1 e\n";
  fs::last_write_time(file(), time + std::chrono::nanoseconds(1));
  EXPECT_TRUE(run->reopen());
  EXPECT_THAT(serve(run->searcher("a"), {.topic = "T1"}), ElementsAre("EP2"));
}

TEST_F(ReopenedRunTest, UnreadableFileKeepsTheOldRankings) {
  const auto run = opened_tonight();
  const auto generation = run->searcher("a").generation();
  const auto expect_the_old = [&] {
    EXPECT_EQ(run->searcher("a").generation(), generation);
    EXPECT_THAT(serve(run->searcher("a"), {.topic = "T2"}), ElementsAre("EP2"));
  };
  write("T1 Q0 EP1 1 1 engine\nT1 Q0 EP2 2 high engine\n");
  // Each time: a failure is not taken for having been read.
  for (int i = 0; i < 2; ++i) {
    expect_error(ErrorCode::kBadInput, "engine.run:2: ", [&] { return run->reopen(); });
    expect_the_old();
  }
  fs::remove(file());
  expect_error(ErrorCode::kIo, "engine.run", [&] { return run->reopen(); });
  expect_the_old();
  write(kTomorrow);
  EXPECT_TRUE(run->reopen());
  EXPECT_THAT(serve(run->searcher("a"), {.topic = "T1"}), ElementsAre("EP2", "EP4"));
}

TEST_F(ReopenedRunTest, RankingsAreOfOneGenerationWhileTheFileChanges) {
  const auto run = opened_tonight();
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0}, served{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        const RunSearcher searcher = run->searcher("a");
        const Docnos docnos = serve(searcher, {.topic = "T1"});
        // Readings take turns, from generation 1 on.
        const Docnos expected =
            searcher.generation() % 2 == 1 ? Docnos{"EP3", "EP2", "EP1"} : Docnos{"EP2", "EP4"};
        if (docnos != expected) ++torn;
        ++served;
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    write(i % 2 == 0 ? kTomorrow : kTonight);
    EXPECT_TRUE(run->reopen());
  }
  while (served < 1000) std::this_thread::yield();
  stop = true;
  threads.clear();
  EXPECT_EQ(torn, 0);
  for (const Seen& seen : watched_.seen()) {
    // T1's judgements 0 and 1 are EP1 and EP2: ranks 3 and 2 one night, EP2 at rank 1 the next.
    if (seen.facts.generation % 2 == 1) {
      ASSERT_THAT(seen.hits,
                  ElementsAre(JudgedHit{2, JudgementIndex{1}}, JudgedHit{3, JudgementIndex{0}}));
    } else {
      ASSERT_THAT(seen.hits, ElementsAre(JudgedHit{1, JudgementIndex{1}}));
    }
  }
}

}  // namespace
}  // namespace prescope::conformance
