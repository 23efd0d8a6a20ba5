#include "core/in_parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace prescope {
namespace {

TEST(InParallel, CallsForEachNumberOnce) {
  std::vector<std::atomic<int>> calls(1000);
  in_parallel(calls.size(), 3, [&](std::size_t i) { ++calls[i]; });
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

TEST(InParallel, CallsOnlyForNumbersThatThereAre) {
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
  int calls = 0;
  in_parallel(1, 4, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(InParallel, RethrowsWhatTheLowestNumberThrewWhenAllAreDone) {
  std::atomic<int> calls = 0;
  try {
    in_parallel(20, 3, [&](std::size_t i) {
      ++calls;
      if (i % 7 == 5) throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "5");
  }
  EXPECT_EQ(calls, 20);
}

#ifdef __linux__

cpu_set_t own_processors() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  EXPECT_EQ(sched_getaffinity(0, sizeof processors, &processors), 0);
  return processors;
}

TEST(InParallel, BindsItsThreadsToOtherProcessorsAndLeavesTheCallerAsItWas) {
  const cpu_set_t before = own_processors();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one processor";
  const std::thread::id caller = std::this_thread::get_id();
  std::barrier both(2);
  cpu_set_t of_caller = before, of_other = before;
  in_parallel(2, 2, [&](std::size_t) {
    (std::this_thread::get_id() == caller ? of_caller : of_other) = own_processors();
    both.arrive_and_wait();
  });
  const cpu_set_t after = own_processors();
  EXPECT_TRUE(CPU_EQUAL(&of_caller, &before));
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
  EXPECT_EQ(CPU_COUNT(&of_other), 1);
}

TEST(InParallel, StaysOnTheOneProcessorThatTheCallerHas) {
  const cpu_set_t before = own_processors();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::barrier both(2);
  std::atomic<int> elsewhere = 0;
  in_parallel(2, 2, [&](std::size_t) {
    const cpu_set_t mine = own_processors();
    if (!CPU_EQUAL(&mine, &one)) ++elsewhere;
    both.arrive_and_wait();
  });
  EXPECT_EQ(elsewhere, 0);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

#endif

}  // namespace
}  // namespace prescope
