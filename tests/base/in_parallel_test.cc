#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace prescope {
namespace {

TEST(InParallel, CallsForEachNumberOnce) {
  std::vector<std::atomic<int>> calls(1000);
  in_parallel(calls.size(), 3, [&](std::size_t i) { ++calls[i]; });
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

TEST(InParallel, CallsNothingBeyondTheCount) {
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
  int calls = 0;
  in_parallel(1, 4, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(InParallel, RethrowsTheExceptionOfTheLowestNumber) {
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

}  // namespace
}  // namespace prescope
