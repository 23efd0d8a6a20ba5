#include "live/shadow_pool.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <future>
#include <map>
#include <stdexcept>
#include <thread>

#include "prescope/error.h"
#include "prescope/query_scope.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Latency = ShadowOptions::Latency;

/// No query waits for as long, however busy the machine is.
constexpr std::chrono::hours kLong{1};
constexpr ArmIndex kA{0}, kB{1}, kC{2};

Qrels judged_topics() {
  const Qrels::Line lines[] = {{TopicId("t0"), Docno("d1"), 1}, {TopicId("t1"), Docno("d2"), 1}};
  return Qrels::from_lines(lines);
}

ExperimentOptions with_arms(std::vector<std::string> arms) {
  return {.arms = std::move(arms), .measures = {"PRES@10"}};
}

/// Each call is another visit.
Visit visit(TopicIndex topic) {
  static std::atomic<std::uint64_t> number{0};
  return {.topic = topic, .number = ++number};
}

/// Opened once, for everybody.
class Gate {
 public:
  void open() { promise_.set_value(); }
  void wait() const { future_.wait(); }

 private:
  std::promise<void> promise_;
  std::shared_future<void> future_{promise_.get_future()};
};

/// The searched arms, in order, from any thread.
class Searched {
 public:
  void add(ArmIndex arm) {
    const std::lock_guard lock(mutex_);
    arms_.push_back(arm);
  }
  [[nodiscard]] std::vector<ArmIndex> arms() const {
    const std::lock_guard lock(mutex_);
    return arms_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ArmIndex> arms_;
};

Health counts_of(const ShadowPool& pool) {
  Health health;
  pool.count(health);
  return health;
}

std::uint64_t ended(const Health& counts) { return counts.shadow_run + counts.shadow_expired; }

std::uint64_t all_offered(const Health& counts) {
  return ended(counts) + counts.shadow_unjudged + counts.shadow_unpaired +
         counts.shadow_sampled_out + counts.shadow_queue_full;
}

/// Waits without a limit: the runner stops a test that hangs.
void wait_until_ended(const ShadowPool& pool, std::uint64_t queries) {
  while (ended(counts_of(pool)) < queries) std::this_thread::yield();
}

/// Within 5 standard deviations of the binomial law.
void expect_binomial_count(std::uint64_t count, std::uint64_t of, double share) {
  const double n = static_cast<double>(of);
  EXPECT_NEAR(static_cast<double>(count), n * share, 5 * std::sqrt(n * share * (1 - share)));
}

TEST(ShadowPool, SearchesTheOtherArmsOrAll) {
  Experiment experiment(judged_topics(), with_arms({"a", "b", "c"}));
  for (const Latency latency : {Latency::kNotCompared, Latency::kBothArms}) {
    ShadowPool pool(experiment, {.deadline = kLong, .latency = latency}, 1);
    Searched searched;
    EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kB, [&](ArmIndex arm) { searched.add(arm); }}));
    wait_until_ended(pool, 1);
    if (latency == Latency::kBothArms) {
      EXPECT_THAT(searched.arms(), UnorderedElementsAre(kA, kB, kC));
    } else {
      EXPECT_THAT(searched.arms(), UnorderedElementsAre(kA, kC));
    }
    EXPECT_EQ(counts_of(pool).shadow_run, 1U);
  }
}

TEST(ShadowPool, LeavesInactiveArmsOut) {
  Experiment experiment(judged_topics(), with_arms({"a", "b", "c"}));
  experiment.pause_arm(kB);
  ShadowPool pool(experiment, {.deadline = kLong}, 1);
  Searched searched;
  const auto search = [&](ArmIndex arm) { searched.add(arm); };
  EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, search}));
  wait_until_ended(pool, 1);
  EXPECT_THAT(searched.arms(), UnorderedElementsAre(kA, kC));
}

TEST(ShadowPool, RefusesQueriesWithoutTwoArmsToCompare) {
  Experiment experiment(judged_topics(), with_arms({"a", "b", "c"}));
  experiment.pause_arm(kC);
  const Visit one = visit(TopicIndex(0));
  ShadowPool both(experiment, {.deadline = kLong, .latency = Latency::kBothArms}, 1);
  ShadowPool others(experiment, {.deadline = kLong, .latency = Latency::kNotCompared}, 1);
  const auto never = [](ArmIndex) { ADD_FAILURE(); };
  EXPECT_TRUE(both.offer({one, kC, [](ArmIndex arm) { EXPECT_NE(arm, kC); }}));
  EXPECT_FALSE(others.offer({one, kC, never})) << "the served ranking was not recorded";
  wait_until_ended(both, 1);
  experiment.pause_arm(kB);
  for (ShadowPool* pool : {&both, &others}) {
    EXPECT_FALSE(pool->wants(one));
    EXPECT_FALSE(pool->offer({one, kA, never}));
    EXPECT_FALSE(pool->offer({one, kB, never}));
  }
  EXPECT_EQ(counts_of(both).shadow_unpaired, 3U);
  EXPECT_EQ(counts_of(both).shadow_run, 1U);
  EXPECT_EQ(counts_of(others).shadow_unpaired, 4U);
}

TEST(ShadowPool, RefusesUnjudgedQueries) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  ShadowPool pool(experiment, {.deadline = kLong}, 1);
  EXPECT_FALSE(pool.wants(visit(kUnjudgedTopic)));
  EXPECT_FALSE(pool.offer({visit(kUnjudgedTopic), kA, [](ArmIndex) { ADD_FAILURE(); }}));
  EXPECT_EQ(counts_of(pool).shadow_unjudged, 2U);
  EXPECT_EQ(all_offered(counts_of(pool)), 2U);
}

TEST(ShadowPool, SearchesUnderAScopeOfTheTopicAndTheArm) {
  struct Seen {
    TopicIndex topic;
    ArmIndex arm;
    RankingFlags flags;
    std::uint32_t compared_arms;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;  // by the recorder thread, read after its last
  {
    ExperimentOptions options = with_arms({"a", "b", "c"});
    options.on_observation = [&](const Observation& observation) {
      seen.push_back(
          {observation.topic, observation.arm, observation.flags, observation.compared_arms});
    };
    Experiment experiment(judged_topics(), options);
    const auto resolved = resolve(experiment);
    const std::vector<DocId> docids = {DocId(2), DocId(5)};
    ShadowPool pool(experiment, {.deadline = kLong, .latency = Latency::kNotCompared}, 1);
    EXPECT_TRUE(pool.offer({visit(TopicIndex(1)), kA, [&](ArmIndex arm) {
                              const QueryScope* scope = QueryScope::current();
                              ASSERT_NE(scope, nullptr);
                              EXPECT_EQ(&scope->experiment(), &experiment);
                              EXPECT_EQ(scope->visit().topic, TopicIndex(1));
                              EXPECT_EQ(scope->visit().arm, arm);
                              // The searcher's own arm does not count.
                              Ranking ranking = served(kA, resolved, docids);
                              ranking.flags = RankingFlags::kSorted;
                              experiment.observe(ranking);
                            }}));
    wait_until_ended(pool, 1);
  }
  const RankingFlags flags = RankingFlags::kShadow | RankingFlags::kSorted;
  // Three arms are compared: the served ranking is one of them.
  EXPECT_THAT(seen, UnorderedElementsAre(Seen{TopicIndex(1), kB, flags, 3},
                                         Seen{TopicIndex(1), kC, flags, 3}));
}

TEST(ShadowPool, OrdersOfTheArmsAreEquallyLikely) {
  Experiment experiment(judged_topics(), with_arms({"a", "b", "c"}));
  constexpr std::uint64_t kQueries = 12'000, kSeed = 20100719;
  ShadowPool pool(experiment, {.queue = kQueries, .deadline = kLong}, kSeed);
  Searched searched;
  for (std::uint64_t i = 0; i < kQueries; ++i) {
    ASSERT_TRUE(pool.offer({visit(TopicIndex(0)), kB, [&](ArmIndex arm) { searched.add(arm); }}));
  }
  wait_until_ended(pool, kQueries);
  std::map<std::vector<ArmIndex>, std::uint64_t> orders, successions;
  const std::vector<ArmIndex> arms = searched.arms();
  for (std::size_t i = 0; i < arms.size(); i += 3) {
    ++orders[{arms[i], arms[i + 1], arms[i + 2]}];
    if (i > 0) ++successions[{arms[i - 3], arms[i]}];
  }
  ASSERT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) expect_binomial_count(count, kQueries, 1.0 / 6);
  // A toss does not depend on the last one either.
  for (const auto& [first, count] : successions)
    expect_binomial_count(count, kQueries - 1, 1.0 / 9);
}

TEST(ShadowPool, AcceptsNoMoreThanItsQueueHolds) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  Gate begun, go_on;
  Searched searched;
  ShadowPool pool(experiment, {.queue = 3, .deadline = kLong, .latency = Latency::kNotCompared}, 1);
  EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex) {
                            begun.open();
                            go_on.wait();
                          }}));
  begun.wait();  // it has left the queue
  const auto search = [&](ArmIndex arm) { searched.add(arm); };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(pool.wants(visit(TopicIndex(0))));
    EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, search}));
  }
  EXPECT_FALSE(pool.wants(visit(TopicIndex(0))));
  EXPECT_FALSE(pool.offer({visit(TopicIndex(0)), kA, search}));
  EXPECT_EQ(counts_of(pool).shadow_queue_full, 2U);
  go_on.open();
  wait_until_ended(pool, 4);
  EXPECT_THAT(searched.arms(), ElementsAre(kB, kB, kB));
  EXPECT_TRUE(pool.wants(visit(TopicIndex(0))));
  EXPECT_EQ(counts_of(pool).shadow_run, 4U);
  EXPECT_EQ(counts_of(pool).shadow_expired, 0U);
}

TEST(ShadowPool, DropsExpiredQueries) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  Gate begun, go_on;
  const ShadowOptions options{.deadline = std::chrono::milliseconds(1)};
  ShadowPool pool(experiment, options, 1);
  // The first one may itself come too late on a machine under load: until one has begun.
  std::atomic<bool> has_begun = false;
  std::uint64_t offered = 0;
  while (!has_begun) {
    ASSERT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex) {
                              if (!has_begun.exchange(true)) begun.open();
                              go_on.wait();
                            }}));
    ++offered;
    while (!has_begun && ended(counts_of(pool)) < offered) std::this_thread::yield();
  }
  begun.wait();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(
        pool.offer({visit(TopicIndex(0)), kA, [](ArmIndex) { ADD_FAILURE() << "too late"; }}));
  }
  const auto last = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - last <= 2 * options.deadline) std::this_thread::yield();
  go_on.open();
  wait_until_ended(pool, offered + 5);
  EXPECT_EQ(counts_of(pool).shadow_run, 1U);
  EXPECT_EQ(counts_of(pool).shadow_expired, offered - 1 + 5);
}

TEST(ShadowPool, RunsTheSampledShare) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  constexpr std::uint64_t kQueries = 20'000, kSeed = 20100719;
  for (const bool asks_first : {true, false}) {
    ShadowPool pool(experiment, {.queue = kQueries, .deadline = kLong, .sampling = 0.3}, kSeed);
    std::uint64_t taken = 0;
    for (std::uint64_t i = 0; i < kQueries; ++i) {
      const Visit one = visit(TopicIndex(0));
      if (asks_first && !pool.wants(one)) continue;
      const bool was_taken = pool.offer({one, kA, [](ArmIndex) {}});
      // A query for which `wants` returned true is not sampled again.
      ASSERT_TRUE(was_taken || !asks_first) << "query " << i;
      taken += was_taken ? 1 : 0;
    }
    wait_until_ended(pool, taken);
    expect_binomial_count(taken, kQueries, 0.3);
    EXPECT_EQ(counts_of(pool).shadow_sampled_out, kQueries - taken);
    EXPECT_EQ(counts_of(pool).shadow_run, taken);
  }
}

TEST(ShadowPool, RunsOneSearchOnEachThread) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  constexpr std::uint32_t kThreads = 3, kRounds = 33;
  std::barrier all_at_once(kThreads);  // not passed with fewer than three searches at a time
  std::atomic<std::uint32_t> searching{0}, most{0};
  ShadowPool pool(experiment,
                  {.threads = kThreads,
                   .queue = kThreads * kRounds,
                   .deadline = kLong,
                   .latency = Latency::kNotCompared},
                  1);
  for (std::uint32_t i = 0; i < kThreads * kRounds; ++i) {
    ASSERT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex) {
                              const std::uint32_t now = ++searching;
                              for (std::uint32_t seen = most;
                                   seen < now && !most.compare_exchange_weak(seen, now);) {
                              }
                              all_at_once.arrive_and_wait();
                              --searching;
                            }}));
  }
  wait_until_ended(pool, kThreads * kRounds);
  EXPECT_EQ(most, kThreads);
}

TEST(ShadowPool, CountsAQueryThatThrewOnceAndRunsItsOtherArms) {
  Experiment experiment(judged_topics(), with_arms({"a", "b", "c"}));
  ShadowPool pool(experiment, {.deadline = kLong}, 1);
  Searched searched;
  EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex arm) {
                            searched.add(arm);
                            if (arm == kB) throw 7;
                            throw std::runtime_error("the engine failed");
                          }}));
  EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, nullptr}));
  EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex arm) { searched.add(arm); }}));
  wait_until_ended(pool, 3);
  EXPECT_THAT(searched.arms(), UnorderedElementsAre(kA, kB, kC, kA, kB, kC));
  EXPECT_EQ(counts_of(pool).shadow_run, 3U);
  EXPECT_EQ(counts_of(pool).shadow_failed, 3U) << "those of the third observed nothing";
  const auto summary = experiment.summary();
  for (const ArmSummary& arm : summary->arms) EXPECT_EQ(arm.failed_queries, 3U);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U) << "counted under one name only";
}

TEST(ShadowPool, RecordsASearchWithoutAnAnswerAsFailedOnce) {
  struct Case {
    const char* name;
    std::function<void(Experiment&, const Ranking&)> search;
    bool has_failed, is_recorded_as_failed;
  };
  const auto fails = [](Experiment& experiment) {
    experiment.observe_failure(kA, Experiment::SearchFailure::kFailed);
  };
  const Case cases[] = {
      {"answers", [](Experiment& e, const Ranking& ranking) { e.observe(ranking); }, false, false},
      {"throws", [](Experiment&, const Ranking&) { throw 7; }, true, true},
      {"observes nothing", [](Experiment&, const Ranking&) {}, true, true},
      {"fails and says so", [&](Experiment& e, const Ranking&) { fails(e); }, true, true},
      {"says so and throws", [&](Experiment& e, const Ranking&) { fails(e), throw 7; }, true, true},
      {"answers and throws",
       [](Experiment& e, const Ranking& ranking) { e.observe(ranking), throw 7; }, true, true}};
  for (const Case& one : cases) {
    std::vector<Observation> seen;
    ExperimentOptions options = with_arms({"a", "b"});
    options.on_observation = [&](const Observation& observation) { seen.push_back(observation); };
    Experiment experiment(judged_topics(), options);
    const auto resolved = resolve(experiment);
    const std::vector<DocId> docids = {DocId(1)};
    ShadowPool pool(experiment, {.deadline = kLong}, 1);
    const Visit mine = experiment.visit(TopicId("t0"), {.key = "session"});
    EXPECT_TRUE(pool.offer(
        {mine, kA, [&](ArmIndex) { one.search(experiment, served(kA, resolved, docids)); }}));
    wait_until_ended(pool, 1);
    experiment.flush();
    ASSERT_EQ(seen.size(), 2U) << one.name << ": one for each arm";
    EXPECT_NE(seen[0].arm, seen[1].arm) << one.name;
    for (const Observation& observation : seen) {
      EXPECT_EQ(observation.topic, TopicIndex(0)) << one.name;
      EXPECT_EQ(observation.visit, mine.number) << one.name;
      EXPECT_EQ(observation.visit_key, mine.key) << one.name;
      EXPECT_EQ(observation.compared_arms, 2U) << one.name;
      EXPECT_TRUE(has(observation.flags, RankingFlags::kShadow)) << one.name;
      EXPECT_EQ(has(observation.flags, RankingFlags::kFailed), one.is_recorded_as_failed)
          << one.name;
      EXPECT_LT(observation.latency, kLong) << one.name;
    }
    EXPECT_EQ(counts_of(pool).shadow_failed, one.has_failed ? 1U : 0U) << one.name;
    EXPECT_EQ(counts_of(pool).shadow_run, 1U) << one.name;
  }
}

/// A host may need several searches for one ranking, and another try after a failure.
TEST(ShadowPool, RecordsTheLastRankingOfEachArm) {
  struct Step {
    std::vector<std::uint32_t> docids{};  ///< empty: the search fails
    Rank first_rank = 1;
    std::uint32_t requested = 10;
  };
  struct Case {
    const char* name;
    std::vector<Step> steps;
    Rank rank_of_d1;  ///< 0: none
  };
  const Case cases[] = {{"relevance feedback", {{{9, 8, 1}}, {{9, 1, 8}}}, 2},
                        {"the second is shorter", {{{9, 8, 1}}, {{1}}}, 1},
                        {"the second finds nothing", {{{9, 8, 1}}, {{9}}}, 0},
                        {"the second asks for fewer", {{{9, 8, 1}}, {{1}, 1, 2}}, 1},
                        {"another try", {{}, {{9, 1}}}, 2},
                        {"a second search failed", {{{9, 1}}, {}}, 2},
                        {"a second page", {{{9, 8}}, {{1}, 3}}, 0}};
  for (const Case& one : cases) {
    std::vector<Observation> seen;
    std::vector<Rank> ranks;
    ExperimentOptions options = with_arms({"a", "b"});
    options.on_observation = [&](const Observation& observation) {
      seen.push_back(observation);
      for (const JudgedHit& hit : observation.hits) ranks.push_back(hit.rank);
    };
    Experiment experiment(judged_topics(), options);
    const auto resolved = resolve(experiment);
    ShadowPool pool(experiment, {.deadline = kLong}, 1);
    const auto search = [&](ArmIndex arm) {
      for (const Step& step : one.steps) {
        if (step.docids.empty()) {
          experiment.observe_failure(arm, Experiment::SearchFailure::kFailed);
          continue;
        }
        const std::vector<DocId> docids(step.docids.begin(), step.docids.end());
        Ranking ranking = served(arm, resolved, docids);
        ranking.first_rank = step.first_rank;
        ranking.requested_depth = step.requested;
        experiment.observe(ranking);
      }
    };
    EXPECT_TRUE(pool.offer({experiment.visit(TopicId("t0")), kA, search}));
    wait_until_ended(pool, 1);
    experiment.flush();
    EXPECT_EQ(seen.size(), 2U) << one.name << ": one for each arm";
    for (const Observation& observation : seen) {
      EXPECT_FALSE(has(observation.flags, RankingFlags::kFailed)) << one.name;
      EXPECT_EQ(observation.first_rank, 1U) << one.name;
    }
    EXPECT_EQ(ranks, std::vector<Rank>(one.rank_of_d1 > 0 ? 2 : 0, one.rank_of_d1)) << one.name;
    EXPECT_EQ(counts_of(pool).shadow_failed, 0U) << one.name;
  }
}

TEST(ShadowPool, DropsAQueryWhoseOtherArmsWerePausedMeanwhile) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  for (const Latency latency : {Latency::kNotCompared, Latency::kBothArms}) {
    experiment.resume_arm(kB);
    Gate begun, go_on;
    ShadowPool pool(experiment, {.deadline = kLong, .latency = latency}, 1);
    std::atomic<int> searches{0};
    EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex) {
                              if (++searches > 1) return;
                              begun.open();
                              go_on.wait();
                            }}));
    begun.wait();
    EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [](ArmIndex) { ADD_FAILURE(); }}));
    experiment.pause_arm(kB);
    go_on.open();
    while (counts_of(pool).shadow_unpaired < 1) std::this_thread::yield();
    EXPECT_EQ(all_offered(counts_of(pool)), 2U);
  }
}

TEST(ShadowPool, RunsOnlyVisitsThatCanBeComparedInFull) {
  ExperimentOptions options = with_arms({"a", "b"});
  options.recording.sampling = 0.5;
  Experiment experiment(judged_topics(), options);
  const Sampling recorded(0.5);
  for (const Latency latency : {Latency::kNotCompared, Latency::kBothArms}) {
    ShadowPool pool(experiment, {.queue = 1000, .deadline = kLong, .latency = latency}, 1);
    for (int i = 0; i < 100; ++i) {
      const Visit one = visit(TopicIndex(0));
      EXPECT_EQ(pool.wants(one), latency == Latency::kBothArms || recorded.takes(one))
          << "the served ranking of the others is not recorded";
    }
  }
}

TEST(ShadowPool, HangingSearchDoesNotDelayServing) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  const auto resolved = resolve(experiment);
  const std::vector<DocId> docids = {DocId(1)};
  Gate go_on;
  constexpr std::uint64_t kQueries = 500;
  std::uint64_t taken = 0;
  {
    ShadowPool pool(experiment, {.queue = 8, .deadline = kLong}, 1);
    for (std::uint64_t i = 0; i < kQueries; ++i) {
      {
        const QueryScope scope(experiment, TopicIndex(0));
        experiment.observe(served(kA, resolved, docids));
      }
      taken += pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex) { go_on.wait(); }}) ? 1 : 0;
    }
    // All served and recorded, with no shadow search ended.
    const auto summary = experiment.summary();
    EXPECT_EQ(summary->arms[0].judged_queries, kQueries);
    EXPECT_EQ(summary->health.recorded, kQueries + (kQueries - taken)) << "and what was not taken";
    EXPECT_EQ(ended(counts_of(pool)), 0U);
    EXPECT_GE(taken, 8U);
    EXPECT_LE(taken, 9U);  // one may have left the queue
    EXPECT_EQ(counts_of(pool).shadow_queue_full, kQueries - taken);
    go_on.open();
    wait_until_ended(pool, taken);
  }
}

TEST(ShadowPool, StopAwaitsTheRunningSearchAndDropsTheQueue) {
  Experiment experiment(judged_topics(), with_arms({"a", "b", "c"}));
  Gate begun, go_on;
  Searched searched;
  ShadowPool pool(experiment, {.queue = 65536, .deadline = kLong}, 1);
  EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, [&](ArmIndex arm) {
                            searched.add(arm);
                            begun.open();
                            go_on.wait();
                          }}));
  begun.wait();
  auto alive = std::make_shared<int>(1);
  const auto waiting = [alive](ArmIndex) { ADD_FAILURE() << "searched after the stop"; };
  std::uint64_t taken = 1;
  for (; taken < 100; ++taken) ASSERT_TRUE(pool.offer({visit(TopicIndex(0)), kA, waiting}));
  std::jthread stopper([&] { pool.stop(); });
  while (pool.offer({visit(TopicIndex(0)), kA, waiting})) ++taken;
  go_on.open();
  stopper.join();
  EXPECT_EQ(searched.arms().size(), 1U) << "its other arms were not begun";
  EXPECT_EQ(counts_of(pool).shadow_expired, taken);
  EXPECT_EQ(counts_of(pool).shadow_run, 0U);
  EXPECT_EQ(counts_of(pool).shadow_queue_full, 1U);
  EXPECT_EQ(alive.use_count(), 2) << "what waited was let go";
}

TEST(ShadowPool, DrainRunsWhatWaitsRefusesOffersAndLetsGoOfAllFunctions) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  Gate begun, go_on;
  std::atomic<int> searches{0};
  ShadowPool pool(experiment, {.threads = 2, .queue = 65536, .deadline = kLong}, 1);
  auto owned = std::make_shared<int>(1);
  std::once_flag first;
  const auto search = [&, owned](ArmIndex) {
    std::call_once(first, [&] { begun.open(); });
    go_on.wait();
    ++searches;
  };
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(pool.offer({visit(TopicIndex(0)), kA, search}));
  begun.wait();
  std::jthread drainer([&] { pool.drain(); });
  std::uint64_t taken = 20;
  while (pool.offer({visit(TopicIndex(0)), kA, search})) ++taken;  // until it drains
  EXPECT_FALSE(pool.wants(visit(TopicIndex(0))));
  go_on.open();
  drainer.join();
  EXPECT_EQ(searches, 2 * static_cast<int>(taken)) << "each arm of every visit that was taken";
  EXPECT_EQ(counts_of(pool).shadow_run, taken);
  EXPECT_EQ(counts_of(pool).shadow_expired, 2U) << "the two that came meanwhile";
  EXPECT_EQ(counts_of(pool).shadow_queue_full, 0U);
  EXPECT_EQ(owned.use_count(), 2) << "the function in this test has the other";
  EXPECT_TRUE(pool.offer({visit(TopicIndex(0)), kA, search})) << "visits are taken again";
  pool.drain();
  EXPECT_EQ(counts_of(pool).shadow_run, taken + 1);
}

TEST(ShadowPool, AfterADrainNoEarlierFunctionIsAliveWhateverOtherThreadsOffer) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  ShadowPool pool(experiment, {.threads = 3, .queue = 32, .deadline = kLong}, 1);
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> others;
  for (int t = 0; t < 3; ++t) {
    others.emplace_back([&] {
      while (!is_over) pool.offer({visit(TopicIndex(0)), kA, [](ArmIndex) {}});
    });
  }
  const auto used = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < 200; ++i) {
    for (int offer = 0; offer < 5; ++offer) {
      pool.offer({visit(TopicIndex(0)), kA, [used](ArmIndex) { ++*used; }});
    }
    pool.drain();
    ASSERT_EQ(used.use_count(), 1) << "a function is alive after drain " << i;
  }
  is_over = true;
  EXPECT_GT(*used, 0);
}

TEST(ShadowPool, DrainInsideASearchIsRefused) {
  Experiment experiment(
      judged_topics(),
      {.name = "autumn", .arms = {"a", "b"}, .measures = {"PRES@10"}, .mode = Mode::kPaired});
  std::string refusal;
  const Visit one = experiment.visit(TopicId("t0"));
  ASSERT_TRUE(experiment.shadow(one, kA, [&](ArmIndex) {
    try {
      experiment.drain_shadow();
    } catch (const Error& error) {
      refusal = error.what();
    }
  }));
  experiment.drain_shadow();
  EXPECT_EQ(refusal,
            "experiment 'autumn': a search for comparison cannot wait until all searches for "
            "comparison have ended; call drain_shadow() on another thread");
}

TEST(ShadowPool, SearchFromALaterRankIsCountedAndNotCompared) {
  Experiment experiment(judged_topics(),
                        {.arms = {"a", "b"}, .measures = {"PRES@10"}, .mode = Mode::kPaired});
  const auto resolved = resolve(experiment);
  const Visit one = experiment.visit(TopicId("t0"));
  const auto search = [&](ArmIndex arm) {
    Ranking ranking = served(arm, resolved, {});
    ranking.first_rank = 11;
    experiment.observe(ranking);
  };
  ASSERT_TRUE(experiment.shadow(one, kA, search));
  experiment.drain_shadow();
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->health.shadow_later_pages, 2U) << "one of each arm";
  EXPECT_EQ(summary->epoch.compared_visits, 0U);
}

TEST(ShadowPool, FullQueueDoesNotDelayStopping) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  for (int i = 0; i < 50; ++i) {
    ShadowPool pool(experiment, {.threads = 4, .queue = 16, .deadline = kLong}, 1);
    while (pool.offer({visit(TopicIndex(0)), kA, [](ArmIndex) { std::this_thread::yield(); }})) {
    }
  }
}

TEST(ShadowPool, CountsEveryOfferOnceForAnyNumberOfThreads) {
  Experiment experiment(judged_topics(), with_arms({"a", "b"}));
  ShadowPool pool(experiment, {.threads = 2, .queue = 32, .deadline = kLong, .sampling = 0.5}, 1);
  constexpr std::uint64_t kThreads = 8, kEach = 500;
  std::atomic<std::uint64_t> searches{0}, refused_first{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < kEach; ++i) {
          const TopicIndex topic =
              i % 5 == 0 ? kUnjudgedTopic : TopicIndex(static_cast<std::uint32_t>(i % 2));
          const Visit one = visit(topic);
          if (t % 2 == 0 && !pool.wants(one)) {
            ++refused_first;
            continue;
          }
          pool.offer({one, kA, [&](ArmIndex) { ++searches; }});
        }
      });
    }
  }
  pool.stop();
  const Health counts = counts_of(pool);
  EXPECT_EQ(all_offered(counts), kThreads * kEach);
  EXPECT_GE(searches, 2 * counts.shadow_run);  // one that the stop interrupted has searched once
  EXPECT_LE(searches, 2 * counts.shadow_run + counts.shadow_expired);
  EXPECT_EQ(counts.shadow_unjudged, kThreads * kEach / 5);
  EXPECT_GT(refused_first, kThreads / 2 * kEach / 5);
}

}  // namespace
}  // namespace prescope
