// The clock of the query path, beside the system's.
#include "prescope/query_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "prescope/experiment.h"

namespace prescope {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

class QueryClockTest : public ::testing::Test {
 protected:
  /// From here on the processor's counter is read, where there is one.
  Experiment experiment_{Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}}),
                         {.arms = {"a"}}};
};

/// A time of the clock, and what the system's clock said just before and after.
struct Reading {
  steady_clock::time_point before = steady_clock::now();
  QueryClock::time_point time = QueryClock::now();
  steady_clock::time_point after = steady_clock::now();
};

TEST_F(QueryClockTest, RunsAsFastAsTheSystemsClock) {
  const Reading first;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const Reading last;
  const nanoseconds passed = last.time - first.time;
  EXPECT_GE(passed, (last.before - first.after) * 999 / 1000);
  EXPECT_LE(passed, (last.after - first.before) * 1001 / 1000);
}

TEST_F(QueryClockTest, TellsTheSameTimeAsTheSystemsClock) {
  // So that a time from before there was an experiment is of use after it.
  const Reading now;
  const auto slack = std::chrono::milliseconds(1) + (now.after - now.before);
  const nanoseconds apart = now.time.time_since_epoch() - now.before.time_since_epoch();
  EXPECT_LE(apart, slack);
  EXPECT_GE(apart, -slack);
}

TEST_F(QueryClockTest, NeverGoesBackOnWhateverThread) {
  std::atomic<nanoseconds::rep> latest{0};
  std::vector<std::jthread> threads;
  std::atomic<int> went_back{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 50'000; ++n) {
        auto known = latest.load();
        const auto now = QueryClock::now().time_since_epoch().count();
        went_back += now < known ? 1 : 0;
        while (known < now && !latest.compare_exchange_weak(known, now)) {
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(went_back, 0);
}

}  // namespace
}  // namespace prescope
