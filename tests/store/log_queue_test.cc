// A place that is slow, fails, or stays away for good.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "prescope/error.h"
#include "store/sessions/log_queue.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

/// The entries written, and the state of the disk.
struct Place {
  std::atomic<bool> is_full{false};
  std::atomic<int> refusals{0};
  std::atomic<int> most_refusals = std::numeric_limits<int>::max();  ///< then there is room again
  std::mutex mutex;
  std::vector<std::uint32_t> written;  // ranks asked for, which the tests number observations by
  std::size_t changes = 0;
  bool closed = false;
};

class PlaceSink : public LogSink {
 public:
  explicit PlaceSink(Place& place) : place_(place) {}
  void write(const LogBatch& batch) override {
    const std::lock_guard lock(place_.mutex);
    if (place_.is_full) {
      if (++place_.refusals == place_.most_refusals) place_.is_full = false;
      throw Error(ErrorCode::kIo, "full");
    }
    for (const LoggedObservation& logged : batch.observations) {
      place_.written.push_back(logged.observation.depth);
    }
    place_.changes += batch.changes.size();
  }
  void upkeep() override {}
  void close() override { place_.closed = true; }

 private:
  Place& place_;
};

constexpr LogQueueOptions kSmall{.queue_bytes = 65536,
                                 .batch = 16,
                                 .interval = milliseconds(1),
                                 .retry_interval = milliseconds(10)};

Observation numbered(std::uint32_t number) { return {.depth = number}; }

void expect_numbers_to(const Place& place, std::uint32_t last) {
  ASSERT_EQ(place.written.size(), last);
  for (std::uint32_t i = 0; i < last; ++i) ASSERT_EQ(place.written[i], i + 1);
}

TEST(LogQueue, WritesEverythingOnceInOrder) {
  Place place;
  LogQueue queue("a place", kSmall, {});
  queue.begin(std::make_unique<PlaceSink>(place));
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    queue.record(numbered(i));
    if (i % 100 == 0) {
      ASSERT_TRUE(queue.flush());
    }
  }
  queue.change(ExperimentChange{});
  ASSERT_TRUE(queue.flush());
  expect_numbers_to(place, 1000);
  EXPECT_EQ(place.changes, 1U);
  EXPECT_EQ(queue.progress().acknowledged, 1000U);
  queue.end();
  EXPECT_TRUE(place.closed);
}

TEST(LogQueue, KeepsUnwrittenEntriesAndCountsDroppedOnes) {
  Place place;
  LogQueue queue("a place", kSmall, {});
  queue.begin(std::make_unique<PlaceSink>(place));
  queue.record(numbered(1));
  ASSERT_TRUE(queue.flush());
  place.is_full = true;
  queue.record(numbered(2));
  EXPECT_FALSE(queue.flush());
  EXPECT_EQ(queue.progress().acknowledged, 1U);
  const int refused = place.refusals;
  while (place.refusals < refused + 2) std::this_thread::yield();  // tried again by itself
  constexpr std::uint32_t kMany = 2000;                            // far more than 64 KiB
  for (std::uint32_t i = 3; i <= kMany; ++i) queue.record(numbered(i));
  const LogProgress full = queue.progress();
  EXPECT_GT(full.dropped_write_failures, 0U);
  EXPECT_EQ(full.dropped_queue_full, 0U) << "the place is to blame, not the speed";
  EXPECT_EQ(full.accepted + full.dropped_write_failures, kMany);

  place.is_full = false;
  ASSERT_TRUE(queue.flush());
  const LogProgress mended = queue.progress();
  EXPECT_EQ(mended.acknowledged, full.accepted);
  expect_numbers_to(place, static_cast<std::uint32_t>(full.accepted));
  queue.record(numbered(static_cast<std::uint32_t>(full.accepted) + 1));
  ASSERT_TRUE(queue.flush());
  expect_numbers_to(place, static_cast<std::uint32_t>(full.accepted) + 1);
}

class Settled {
 public:
  [[nodiscard]] LogReceipt receipt() {
    return [this](std::uint64_t request, bool is_acknowledged) {
      const std::lock_guard lock(mutex_);
      (is_acknowledged ? acknowledged_ : lost_).push_back(request);
      if (request == 3) throw std::runtime_error("of the host");
    };
  }
  [[nodiscard]] std::vector<std::uint64_t> acknowledged() const { return copied(acknowledged_); }
  [[nodiscard]] std::vector<std::uint64_t> lost() const { return copied(lost_); }

 private:
  [[nodiscard]] std::vector<std::uint64_t> copied(const std::vector<std::uint64_t>& of) const {
    const std::lock_guard lock(mutex_);
    return of;
  }
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> acknowledged_, lost_;
};

Observation requested(std::uint64_t request) { return {.request_id = request}; }

TEST(LogQueue, TellsWhatBecameOfEachRequestOnce) {
  Place place;
  Settled settled;
  LogQueue queue("a place", kSmall, {}, {}, settled.receipt());
  queue.begin(std::make_unique<PlaceSink>(place));
  for (std::uint64_t request = 1; request <= 5; ++request) queue.record(requested(request));
  queue.record(numbered(1));  // without a request
  ASSERT_TRUE(queue.flush());
  EXPECT_THAT(settled.acknowledged(), ElementsAre(1, 2, 3, 4, 5)) << "before flush returns";
  queue.leave_out(requested(6));
  EXPECT_THAT(settled.lost(), ElementsAre(6));

  place.is_full = true;
  queue.record(requested(7));
  EXPECT_FALSE(queue.flush());
  EXPECT_THAT(settled.lost(), ElementsAre(6)) << "it is tried again";
  place.is_full = false;
  ASSERT_TRUE(queue.flush());
  EXPECT_THAT(settled.acknowledged(), ElementsAre(1, 2, 3, 4, 5, 7));

  place.is_full = true;
  queue.record(requested(8));
  EXPECT_FALSE(queue.flush());
  queue.record(requested(9));  // waits behind the one that cannot be written
  queue.end();
  EXPECT_THAT(settled.lost(), ElementsAre(6, 8, 9));
  EXPECT_EQ(settled.acknowledged().size(), 6U);
}

TEST(LogQueue, TellsOfARequestThatFoundNoRoom) {
  Place place;
  std::unique_lock held(place.mutex);  // a write that takes long
  Settled settled;
  LogQueue queue("a place", kSmall, {}, {}, settled.receipt());
  queue.begin(std::make_unique<PlaceSink>(place));
  constexpr std::uint64_t kMany = 4000;  // 0 stands for none
  for (std::uint64_t request = 1; request <= kMany; ++request) queue.record(requested(request));
  const std::size_t dropped = queue.progress().dropped_queue_full;
  EXPECT_EQ(settled.lost().size(), dropped);
  EXPECT_GT(dropped, 0U);
  held.unlock();
  ASSERT_TRUE(queue.flush());
  EXPECT_EQ(settled.acknowledged().size(), kMany - dropped);
}

TEST(LogQueue, ReportsThatItIsTooSlow) {
  Place place;
  std::unique_lock held(place.mutex);  // a write that takes long
  LogQueue queue("a place", kSmall, {});
  queue.begin(std::make_unique<PlaceSink>(place));
  constexpr std::uint32_t kMany = 4000;
  for (std::uint32_t i = 1; i <= kMany; ++i) queue.record(numbered(i));
  const LogProgress progress = queue.progress();
  EXPECT_GT(progress.dropped_queue_full, 0U);
  EXPECT_EQ(progress.dropped_write_failures, 0U);
  EXPECT_EQ(progress.accepted + progress.dropped_queue_full, kMany);
  held.unlock();
  EXPECT_TRUE(queue.flush());
  EXPECT_EQ(queue.progress().acknowledged, progress.accepted);
}

TEST(LogQueue, CountsUnwrittenEntriesAtTheEnd) {
  Place place;
  place.is_full = true;
  LogQueue queue("a place", kSmall, {});
  queue.begin(std::make_unique<PlaceSink>(place));
  for (std::uint32_t i = 1; i <= 5; ++i) queue.record(numbered(i));
  queue.end();
  EXPECT_EQ(queue.progress().dropped_write_failures, 5U);
  EXPECT_EQ(queue.progress().acknowledged, 0U);
  EXPECT_FALSE(queue.flush());
}

/// Rows that follow a change of the judgements or of the arms mean nothing without it.
TEST(LogQueue, WritesNothingBehindAChangeThatIsLost) {
  Place place;
  place.is_full = true;
  LogQueueOptions options = kSmall;
  options.retry_interval = std::chrono::minutes(1);
  LogQueue queue("a place", options, {});
  queue.begin(std::make_unique<PlaceSink>(place));
  queue.change(ExperimentChange{});
  queue.record(numbered(1));
  EXPECT_FALSE(queue.flush());  // from here on the writer waits for a minute
  queue.record(numbered(2));
  place.most_refusals = place.refusals + 1;  // that of the last attempt at the end
  queue.end();
  EXPECT_EQ(place.refusals, place.most_refusals);
  EXPECT_TRUE(place.written.empty());
  EXPECT_EQ(queue.progress().dropped_write_failures, 2U);
  EXPECT_EQ(queue.progress().acknowledged, 0U);
}

}  // namespace
}  // namespace prescope
