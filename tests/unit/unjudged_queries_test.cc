// Unjudged queries, which go beside the ring: from each thread on a lane of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <deque>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "live/thread_number.h"
#include "live/unjudged_lanes.h"
#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Qrels one_judged_topic() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}});
}

/// Whose recorder looks into the queues when it is asked to, and hardly by itself.
ExperimentOptions seldom_drained() {
  return {.arms = {"a", "b"}, .recording = {.drain_interval = milliseconds(1000)}};
}

void ask_unjudged(Experiment& experiment, std::uint32_t arm = 0) {
  const QueryScope scope(experiment, kUnjudgedTopic);
  experiment.observe({.arm = ArmIndex(arm), .kind = HitKind::kDocnos});
}

TEST(UnjudgedLane, HandsOverEverythingInItsOrder) {
  UnjudgedLane lane;
  std::deque<std::int64_t> expected;
  std::mt19937 random(7);
  std::int64_t next = 0;
  std::uint64_t refused = 0;
  for (int round = 0; round < 2000; ++round) {
    for (auto i = random() % 200; i > 0; --i) {
      UnjudgedQuery* const query = lane.next();
      if (query == nullptr) {
        ++refused;
        EXPECT_EQ(expected.size(), 120U) << "refused only where it is full";
        break;
      }
      query->latency = nanoseconds(next);
      expected.push_back(next++);
      lane.push();
    }
    if (random() % 3 != 0) continue;
    lane.drain([&](const UnjudgedQuery& query) {
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(query.latency.count(), expected.front());
      expected.pop_front();
    });
    EXPECT_TRUE(expected.empty());
  }
  EXPECT_EQ(lane.pushed(), static_cast<std::uint64_t>(next));
  EXPECT_GT(refused, 100U);
}

TEST(UnjudgedLane, TakesOnlyTheArmsThatAreActive) {
  UnjudgedLane lane;
  EXPECT_FALSE(lane.is_active(ArmIndex(0)));
  lane.set_active(0b101);
  EXPECT_TRUE(lane.is_active(ArmIndex(0)));
  EXPECT_FALSE(lane.is_active(ArmIndex(1)));
  EXPECT_TRUE(lane.is_active(ArmIndex(2)));
  EXPECT_FALSE(lane.is_active(ArmIndex(64))) << "no arm has this number";
}

TEST(ThreadNumber, IsOfOneLivingThreadOnly) {
  constexpr std::size_t kThreads = kThreadNumbers + 20;
  std::vector<std::uint32_t> numbers(kThreads);
  std::barrier all_have_one(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        numbers[i] = thread_number();
        all_have_one.arrive_and_wait();
        EXPECT_TRUE(thread_number() == numbers[i] || numbers[i] == kThreadNumbers);
      });
    }
  }
  std::multiset<std::uint32_t> taken(numbers.begin(), numbers.end());
  const std::size_t without = taken.count(kThreadNumbers);
  EXPECT_GE(without, 20U);
  taken.erase(kThreadNumbers);
  EXPECT_EQ(taken.size(), kThreads - without);
  EXPECT_EQ(std::set<std::uint32_t>(taken.begin(), taken.end()).size(), taken.size());
}

TEST(ThreadNumber, IsGivenBackWhenTheThreadEnds) {
  for (std::uint32_t i = 0; i < 4 * kThreadNumbers; ++i) {
    std::uint32_t number = kThreadNumbers;
    std::jthread([&] { number = thread_number(); }).join();
    ASSERT_LT(number, kThreadNumbers) << "thread " << i;
  }
}

TEST(UnjudgedQueries, AreAllCountedWhereALaneIsFull) {
  Experiment experiment(one_judged_topic(), seldom_drained());
  for (int i = 0; i < 1000; ++i) ask_unjudged(experiment, 1);
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->arms[0].unjudged_queries, 0U);
  EXPECT_EQ(summary->arms[1].unjudged_queries, 1000U);
  EXPECT_EQ(summary->arms[1].latency.count, 1000U);
  EXPECT_EQ(summary->health.pushed, 1000U);
  EXPECT_EQ(summary->health.recorded, 1000U);
  EXPECT_EQ(summary->health.dropped_queue_full, 0U);
}

TEST(UnjudgedQueries, AreAllCountedFromMoreThreadsThanThereAreLanes) {
  constexpr std::uint64_t kThreads = kThreadNumbers + 20, kEach = 50;
  Experiment experiment(one_judged_topic(), seldom_drained());
  std::barrier start(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        for (std::uint64_t n = 0; n < kEach; ++n) ask_unjudged(experiment);
        start.arrive_and_wait();
      });
    }
  }
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->arms[0].unjudged_queries, kThreads * kEach);
  EXPECT_EQ(summary->health.pushed, kThreads * kEach);
  EXPECT_EQ(summary->health.recorded, kThreads * kEach);
}

TEST(UnjudgedQueries, AreCountedWhileTheRecorderDrainsThem) {
  constexpr int kThreads = 4, kEach = 5000;
  Experiment experiment(one_judged_topic(),
                        {.arms = {"a"}, .recording = {.drain_interval = milliseconds(1)}});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < kEach; ++n) ask_unjudged(experiment);
      });
    }
  }
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->arms[0].unjudged_queries + summary->health.dropped_queue_full,
            std::uint64_t{kThreads} * kEach);
  EXPECT_EQ(summary->health.pushed, summary->health.recorded);
}

TEST(UnjudgedQueries, OfArmsThatAreNotActiveAreNotRecorded) {
  Experiment experiment(one_judged_topic(), seldom_drained());
  experiment.pause_arm(ArmIndex(1));
  ask_unjudged(experiment, 0);
  ask_unjudged(experiment, 1);
  ask_unjudged(experiment, 2);
  EXPECT_EQ(experiment.summary()->health.inactive_arm, 1U);
  EXPECT_EQ(experiment.summary()->health.unknown_arm, 1U);
  EXPECT_EQ(experiment.summary()->arms[1].unjudged_queries, 0U);
  experiment.resume_arm(ArmIndex(1));
  ask_unjudged(experiment, 1);
  EXPECT_EQ(experiment.add_arm("c"), ArmIndex(2));
  ask_unjudged(experiment, 2);
  EXPECT_EQ(experiment.summary()->arms[1].unjudged_queries, 1U);
  EXPECT_EQ(experiment.summary()->arms[2].unjudged_queries, 1U);
  experiment.remove_arm(ArmIndex(2));
  ask_unjudged(experiment, 2);
  EXPECT_EQ(experiment.summary()->health.inactive_arm, 2U);
  EXPECT_EQ(experiment.summary()->health.recorded, 3U);
}

TEST(UnjudgedQueries, AreTimedFromTheScopeAndThenFromTheirSearch) {
  std::vector<Observation> heard;
  ExperimentOptions options = seldom_drained();
  options.on_observation = [&](const Observation& observation) { heard.push_back(observation); };
  Experiment experiment(one_judged_topic(), options);
  {
    const QueryScope scope(experiment, kUnjudgedTopic);
    const auto start = std::chrono::steady_clock::now();
    const auto after = [&](int ms) { return start + milliseconds(ms); };
    experiment.observe({.arm = ArmIndex(1),
                        .search_started = after(4000),
                        .search_ended = after(5000),
                        .flags = RankingFlags::kRetried});
    experiment.observe({.search_started = after(6000), .search_ended = after(6250)});
  }
  experiment.flush();
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].topic, kUnjudgedTopic);
  EXPECT_EQ(heard[0].arm, ArmIndex(1));
  EXPECT_EQ(heard[0].flags, RankingFlags::kRetried);
  EXPECT_GE(heard[0].latency, milliseconds(5000)) << "the scope began before";
  EXPECT_LT(heard[0].latency, milliseconds(9000));
  EXPECT_EQ(heard[1].arm, ArmIndex(0));
  EXPECT_EQ(heard[1].latency, milliseconds(250));
  EXPECT_GT(heard[1].self_time.count(), 0);
}

}  // namespace
}  // namespace prescope
