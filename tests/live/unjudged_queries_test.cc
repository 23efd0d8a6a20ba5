// Unjudged queries: only their latency is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Qrels one_judged_topic() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}});
}

/// Options of a recorder that drains the queues on demand, and hardly ever by itself.
ExperimentOptions seldom_drained() {
  return {.arms = {"a", "b"}, .recording = {.drain_interval = milliseconds(1000)}};
}

void ask_unjudged(Experiment& experiment, std::uint32_t arm = 0) {
  const QueryScope scope(experiment, kUnjudgedTopic);
  experiment.observe({.arm = ArmIndex(arm), .kind = HitKind::kDocnos});
}

TEST(UnjudgedQueries, AreAllCountedWhenTheQueueIsFull) {
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

TEST(UnjudgedQueries, AreAllCountedFromManyThreads) {
  constexpr std::uint64_t kThreads = 84, kEach = 50;
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

TEST(UnjudgedQueries, OfInactiveArmsAreNotRecorded) {
  Experiment experiment(one_judged_topic(), seldom_drained());
  experiment.pause_arm(ArmIndex(1));
  ask_unjudged(experiment, 0);
  ask_unjudged(experiment, 1);
  ask_unjudged(experiment, 2);
  ask_unjudged(experiment, 64 + 1);  // which 8 bits hold, and 6 do not
  ask_unjudged(experiment, 256);
  EXPECT_EQ(experiment.summary()->health.inactive_arm, 1U);
  EXPECT_EQ(experiment.summary()->health.unknown_arm, 3U);
  EXPECT_EQ(experiment.summary()->health.pushed, 1U);
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

TEST(UnjudgedQueries, FromSuccessiveThreadsAreAllCounted) {
  constexpr std::uint64_t kThreads = 50, kEach = 7;
  Experiment experiment(one_judged_topic(), seldom_drained());
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    std::jthread([&] {
      for (std::uint64_t n = 0; n < kEach; ++n) ask_unjudged(experiment, i % 2);
    }).join();
  }
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->arms[0].unjudged_queries, kThreads / 2 * kEach);
  EXPECT_EQ(summary->arms[1].unjudged_queries, kThreads / 2 * kEach);
}

TEST(UnjudgedQueries, AreCountedForTheirOwnExperiment) {
  const auto other = std::make_unique<Experiment>(one_judged_topic(), seldom_drained());
  for (std::uint64_t i = 1; i <= 20; ++i) {
    Experiment experiment(one_judged_topic(), seldom_drained());  // in the same place as before
    for (std::uint64_t n = 0; n < 10 * i; ++n) {
      ask_unjudged(experiment, 1);
      ask_unjudged(*other, 0);
    }
    EXPECT_EQ(experiment.summary()->arms[1].unjudged_queries, 10 * i);
    EXPECT_EQ(experiment.summary()->arms[0].unjudged_queries, 0U);
  }
  EXPECT_EQ(other->summary()->arms[0].unjudged_queries, 2100U);
  EXPECT_EQ(other->summary()->arms[1].unjudged_queries, 0U);
}

TEST(UnjudgedQueries, WithoutARankingAreCountedAsWithoutRanking) {
  Experiment experiment(one_judged_topic(), seldom_drained());
  for (int i = 0; i < 3; ++i) const QueryScope scope(experiment, kUnjudgedTopic);
  experiment.observe({.kind = HitKind::kDocnos});  // the scope is gone
  const Health health = experiment.summary()->health;
  EXPECT_EQ(health.queries_without_ranking, 3U);
  EXPECT_EQ(health.queries_without_scope, 1U);
  EXPECT_EQ(health.pushed, 0U);
}

TEST(UnjudgedQueries, AreCountedForTheArmOfTheScope) {
  Experiment experiment(one_judged_topic(), seldom_drained());
  for (const char* arm : {"b", "nobody"}) {
    const QueryScope scope(experiment, TopicId("unjudged"), {.arm = arm});
    experiment.observe({.arm = ArmIndex(0), .kind = HitKind::kDocnos});
  }
  ask_unjudged(experiment, 0);
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->arms[1].unjudged_queries, 1U);
  EXPECT_EQ(summary->arms[0].unjudged_queries, 2U) << "the searcher's own, of an unknown name too";
  EXPECT_EQ(summary->health.unknown_arm, 1U);
}

TEST(UnjudgedQueries, LatencyAgreesWithTheSteadyClock) {
  using Clock = std::chrono::steady_clock;
  std::vector<Observation> heard;
  ExperimentOptions options = seldom_drained();
  options.on_observation = [&](const Observation& observation) { heard.push_back(observation); };
  Experiment experiment(one_judged_topic(), options);
  const auto outer_start = Clock::now();
  {
    const QueryScope scope(experiment, kUnjudgedTopic);
    const auto inner_start = Clock::now();
    std::this_thread::sleep_for(milliseconds(50));
    const auto inner_end = Clock::now();
    experiment.observe({.arm = ArmIndex(1), .kind = HitKind::kDocnos});
    const auto outer_end = Clock::now();
    experiment.flush();
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_GE(heard[0].latency, (inner_end - inner_start));
    EXPECT_LE(heard[0].latency, (outer_end - outer_start));
    EXPECT_GT(heard[0].self_time, nanoseconds(0));
    EXPECT_LE(heard[0].self_time, (outer_end - inner_end));
    EXPECT_EQ(heard[0].arm, ArmIndex(1));
  }
  EXPECT_EQ(experiment.summary()->health.queries_without_ranking, 0U);
}

TEST(UnjudgedQueries, AreTimedFromTheirSearchAfterAFailedQuery) {
  std::vector<Observation> heard;
  ExperimentOptions options = seldom_drained();
  options.on_observation = [&](const Observation& observation) { heard.push_back(observation); };
  Experiment experiment(one_judged_topic(), options);
  const auto fails = [&] {
    experiment.observe_failure(ArmIndex(0), Experiment::SearchFailure::kFailed);
  };
  const auto is_of_no_arm = [&] {
    experiment.observe({.arm = ArmIndex(1000), .kind = HitKind::kDocnos});
  };
  for (const std::function<void()>& first : {std::function<void()>(fails), {is_of_no_arm}}) {
    heard.clear();
    const QueryScope scope(experiment, kUnjudgedTopic);
    std::this_thread::sleep_for(milliseconds(20));
    first();
    const auto start = std::chrono::steady_clock::now();
    experiment.observe({.kind = HitKind::kDocnos, .search_started = start});
    const auto end = std::chrono::steady_clock::now();
    experiment.flush();
    ASSERT_FALSE(heard.empty());
    const Observation& answered = heard.back();
    EXPECT_EQ(answered.flags, RankingFlags::kNone);
    EXPECT_LE(answered.latency, end - start);
  }
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
