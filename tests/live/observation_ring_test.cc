#include "live/query_path/observation_ring.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace prescope {
namespace {

std::byte* push(ObservationRing& ring, std::uint64_t value, std::size_t size = 8) {
  std::byte* record = ring.claim(size);
  if (record != nullptr) {
    std::memcpy(record, &value, sizeof value);
    ObservationRing::commit(record, size);
  }
  return record;
}

std::vector<std::uint64_t> drain(ObservationRing& ring) {
  std::vector<std::uint64_t> values;
  ring.drain([&](const std::byte* record) {
    values.push_back(0);
    std::memcpy(&values.back(), record, sizeof(std::uint64_t));
  });
  return values;
}

TEST(ObservationRing, ReturnsRecordsInTheOrderOfTheirClaims) {
  ObservationRing ring(1024);
  std::byte* first = ring.claim(8);
  push(ring, 2);
  EXPECT_TRUE(drain(ring).empty()) << "the first claim is not committed yet";
  const std::uint64_t one = 1;
  std::memcpy(first, &one, sizeof one);
  ObservationRing::commit(first, sizeof one);
  EXPECT_EQ(drain(ring), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(ring.claimed(), ring.drained());
}

TEST(ObservationRing, RefusesWhenFullAndRecoversWhenDrained) {
  ObservationRing ring(1024);
  std::uint64_t accepted = 0;
  while (push(ring, accepted) != nullptr) ++accepted;
  EXPECT_EQ(accepted, 1024U / 16) << "8 bytes of header and 8 of record each";
  EXPECT_EQ(drain(ring).size(), accepted);
  EXPECT_NE(push(ring, 0), nullptr);
}

TEST(ObservationRing, RefusesARecordLargerThanItsLimit) {
  ObservationRing ring(1024);
  EXPECT_EQ(ring.claim(ring.max_record() + 1), nullptr);
  EXPECT_NE(ring.claim(ring.max_record()), nullptr);
}

TEST(ObservationRing, RecordsAreZeroedAfterWrapping) {
  ObservationRing ring(1024);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::size_t size = 8 + (i * 37) % 200;
    std::byte* record = ring.claim(size);
    ASSERT_NE(record, nullptr);
    for (std::size_t b = 0; b < size; ++b) ASSERT_EQ(record[b], std::byte{0}) << i << ":" << b;
    std::memset(record, 0xff, size);
    ObservationRing::commit(record, size);
    ASSERT_EQ(drain(ring).size(), 1U);
  }
}

TEST(ObservationRing, KeepsEveryRecordOfEightProducers) {
  constexpr std::uint64_t kProducers = 8;
  constexpr std::uint64_t kEach = 20000;
  ObservationRing ring(std::size_t{1} << 14U);
  std::vector<std::uint64_t> next(kProducers, 0);  // the consumer's next record of each producer
  std::atomic<std::uint64_t> refused{0};
  std::uint64_t received = 0;
  {
    std::vector<std::jthread> producers;
    for (std::uint64_t p = 0; p < kProducers; ++p) {
      producers.emplace_back([&ring, &refused, p] {
        for (std::uint64_t i = 0; i < kEach;) {
          if (push(ring, p << 32U | i, 8 + (i * 7 + p) % 120) != nullptr) {
            ++i;
          } else {
            ++refused;
            std::this_thread::yield();
          }
        }
      });
    }
    while (received < kProducers * kEach) {
      for (const std::uint64_t value : drain(ring)) {
        ASSERT_EQ(value & 0xffffffffU, next[value >> 32U]++);
        ++received;
      }
    }
  }
  EXPECT_TRUE(drain(ring).empty());
  EXPECT_EQ(ring.claimed(), ring.drained());
}

}  // namespace
}  // namespace prescope
