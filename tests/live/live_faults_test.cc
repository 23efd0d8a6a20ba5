// If anything fails behind the queue, the search goes on as without the plugin, and each fault is
// counted under its own name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <new>
#include <stdexcept>
#include <thread>

#include "live/ledger/ledger.h"
#include "statistics/latency_blocks.h"
#include "support/served_rankings.h"

namespace {

thread_local bool out_of_memory = false;
thread_local std::uint64_t left = 0;  // allocations that succeed before the one that fails
thread_local std::uint64_t refused = 0;

void* room_for(std::size_t size) noexcept {
  if (out_of_memory && left-- == 0) {
    out_of_memory = false;
    left = 0;
    ++refused;
    return nullptr;
  }
  return std::malloc(size);
}

}  // namespace

// For the whole program. The next allocation of a thread that is out of memory fails, once.
void* operator new(std::size_t size) {
  if (void* const room = room_for(size)) return room;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return room_for(size); }
void operator delete(void* room) noexcept { std::free(room); }
void operator delete(void* room, std::size_t) noexcept { std::free(room); }

namespace prescope {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

Qrels two_judged_topics() {
  return Qrels::from_lines(std::vector<Qrels::Line>{
      {TopicId("t1"), Docno("d1")}, {TopicId("t1"), Docno("d2")}, {TopicId("t2"), Docno("d1")}});
}

/// A search engine that answers each query alike, observed.
struct Server {
  using Listener = std::function<void(const Observation&)>;
  explicit Server(Listener listener, RecordingOptions recording = {})
      : experiment(two_judged_topics(), {.arms = {"a"},
                                         .cutoffs = {10},
                                         .recording = recording,
                                         .on_observation = std::move(listener)}),
        resolved(resolve(experiment)) {}

  std::vector<DocId> search(const char* topic) {
    std::vector<DocId> answer = {DocId(9), DocId(1), DocId(2)};
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe(served(ArmIndex(0), resolved, answer));
    return answer;
  }

  Experiment experiment;
  std::shared_ptr<const ResolvedQrels> resolved;
};

const std::vector<DocId> kAnswer = {DocId(9), DocId(1), DocId(2)};

/// Checks that all other counters are 0.
void expect_only(Health health, std::uint64_t Health::*counter, std::uint64_t times) {
  EXPECT_EQ(health.*counter, times);
  EXPECT_EQ(health.recorded + health.recorder_failures, health.pushed);
  health.*counter = 0;
  for (const auto other :
       {&Health::dropped_queue_full, &Health::queries_without_scope, &Health::unknown_arm,
        &Health::unmatched_rankings, &Health::adapter_failures, &Health::listener_failures,
        &Health::recorder_failures, &Health::publish_failures, &Health::late_observations,
        &Health::clock_steps, &Health::sampled_out, &Health::inactive_arm}) {
    EXPECT_EQ(health.*other, 0U);
  }
}

TEST(LiveFaults, AListenerThatThrowsLosesOnlyItsOwnCall) {
  Server server([](const Observation&) { throw std::runtime_error("mine"); });
  EXPECT_EQ(server.search("t1"), kAnswer);
  EXPECT_EQ(server.search("t2"), kAnswer);
  const auto summary = server.experiment.summary();
  expect_only(summary->health, &Health::listener_failures, 2);
  EXPECT_EQ(summary->arms[0].means[1].mean, 1.0) << "recall";
}

TEST(LiveFaults, ListenerThatThrowsANonExceptionLosesOnlyItsOwnCall) {
  Server server([](const Observation&) { throw 7; });
  EXPECT_EQ(server.search("t1"), kAnswer);
  expect_only(server.experiment.summary()->health, &Health::listener_failures, 1);
}

TEST(LiveFaults, ListenerOnAFullDiskIsCounted) {
  std::ofstream full("/dev/full");
  if (!full) GTEST_SKIP() << "this system has no /dev/full";
  full.exceptions(std::ios::badbit | std::ios::failbit);
  Server server([&](const Observation& one) { full << one.topic.value() << std::endl; });
  EXPECT_EQ(server.search("t1"), kAnswer);
  const auto summary = server.experiment.summary();
  expect_only(summary->health, &Health::listener_failures, 1);
  EXPECT_EQ(summary->arms[0].means[0].topics, 1U);
}

TEST(LiveFaults, NoMemoryForTheLedgerLosesOneObservation) {
  std::atomic<bool> fails{true};
  std::latch next_is_queued(1);
  Server server([&](const Observation&) {
    if (!fails.exchange(false)) return;
    next_is_queued.wait();
    out_of_memory = true;  // the same thread records the next one at once
  });
  EXPECT_EQ(server.search("t1"), kAnswer);
  EXPECT_EQ(server.search("t2"), kAnswer);
  next_is_queued.count_down();
  const Health health = server.experiment.summary()->health;
  expect_only(health, &Health::recorder_failures, 1);
  EXPECT_EQ(health.recorded, 1U);
  EXPECT_EQ(server.search("t1"), kAnswer);
  EXPECT_EQ(server.search("t2"), kAnswer);
  const auto summary = server.experiment.summary();
  EXPECT_EQ(summary->health.recorded, 3U);
  ASSERT_EQ(summary->rows.size(), 2U);
  EXPECT_EQ(summary->rows[1].arms[0].visits, 1U);
  EXPECT_THAT(summary->rows[0].arms[0].relevant_ranks, ElementsAre(2, 3));
  EXPECT_EQ(summary->arms[0].judged_queries, 3U);
}

// The search after such a failure was written through a null pointer.
TEST(LiveFaults, NoMemoryForABlockOfLatenciesCountsNothing) {
  LatencyBlocks blocks;
  for (int search = 0; search < 5; ++search) blocks.add(milliseconds(1));
  out_of_memory = true;
  EXPECT_THROW(blocks.add(milliseconds(1)), std::bad_alloc);
  EXPECT_EQ(blocks.blocks(), 5U);
  for (int search = 0; search < 5; ++search) blocks.add(milliseconds(1));
  EXPECT_EQ(blocks.blocks(), 10U);
}

// Lists of the new epoch had no rows for topics that counted as seen, if a later list got no
// memory.
TEST(LiveFaults, NoMemoryForANewEpochLeavesTheOldOneWhole) {
  const Qrels qrels = two_judged_topics();
  const JudgedDocnos judged(qrels);
  const Scorer scorer(parse_measures("R@10"));
  const JudgedHit hits[] = {{1, JudgementIndex(0)}};
  const auto of = [&](TopicIndex topic, std::uint64_t generation) {
    return Observation{.topic = topic,
                       .arm = ArmIndex(0),
                       .visit = generation,
                       .generation = generation,
                       .first_rank = 1,
                       .depth = 10,
                       .num_ret = 10,
                       .hits = hits};
  };
  constexpr TopicIndex kFirst{0}, kSecond{1};
  bool has_failed = true;
  for (std::uint64_t allocations = 0; has_failed; ++allocations) {
    Ledger ledger(judged, scorer, 3);
    ledger.record(of(kFirst, 1));
    ledger.record(of(kSecond, 1));
    const std::uint64_t before = refused;
    left = allocations;
    out_of_memory = true;
    try {
      ledger.record(of(kFirst, 2));
    } catch (const std::bad_alloc&) {
    }
    out_of_memory = false;
    has_failed = refused > before;
    ledger.settle();
    const bool has_begun = ledger.epoch().number == 2;
    EXPECT_EQ(ledger.score(ArmIndex(0), kSecond, 0).visits, has_begun ? 0U : 1U);
    ledger.record(of(kSecond, 2));
    ledger.settle();
    EXPECT_EQ(ledger.epoch().number, 2U);
    EXPECT_EQ(ledger.score(ArmIndex(0), kSecond, 0).visits, 1U) << "only that of generation 2";
    EXPECT_TRUE(allocations < 1000) << "it does not come to an end";
    if (allocations == 1000) return;
  }
}

TEST(LiveFaults, NoMemoryForASummaryIsCountedAndTheNextOneIsPublished) {
  std::atomic<int> visits{0};
  std::latch is_armed(1);
  Server server(
      [&](const Observation&) {
        if (++visits != 2) return;
        out_of_memory = true;  // the visit is recorded: the summary needs memory next
        is_armed.count_down();
      },
      {.publish_interval = milliseconds(10)});
  EXPECT_EQ(server.search("t1"), kAnswer);
  server.experiment.flush();
  EXPECT_EQ(server.search("t1"), kAnswer);
  is_armed.wait();  // on the recorder thread: no other thread drains
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto wait_until = [&](auto is_so) {
    while (!is_so() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  };
  wait_until([&] { return server.experiment.summary()->health.publish_failures > 0; });
  wait_until([&] { return server.experiment.latest()->health.recorded == 2; });
  expect_only(server.experiment.summary()->health, &Health::publish_failures, 1);
  EXPECT_EQ(server.experiment.latest()->health.recorded, 2U);
}

TEST(LiveFaults, AClockThatStepsBackLeavesALatencyUnknown) {
  Server server([](const Observation&) {});
  EXPECT_EQ(server.search("t1"), kAnswer);
  {
    const QueryScope scope(server.experiment, TopicId("t2"));
    Ranking ranking = served(ArmIndex(0), server.resolved, kAnswer);
    server.experiment.observe(ranking);
    // For the second ranking of a scope the engine's start time counts.
    ranking.search_started = ranking.search_started + std::chrono::hours(1);
    server.experiment.observe(ranking);
  }
  const auto summary = server.experiment.summary();
  expect_only(summary->health, &Health::clock_steps, 1);
  EXPECT_EQ(summary->arms[0].latency.count, 2U);
  EXPECT_EQ(summary->arms[0].judged_queries, 3U);
}

TEST(LiveFaults, TableOfAnotherExperimentMatchesNothing) {
  Server server([](const Observation&) {}), other([](const Observation&) {});
  server.resolved = other.resolved;
  EXPECT_EQ(server.search("t1"), kAnswer);
  const auto summary = server.experiment.summary();
  expect_only(summary->health, &Health::unmatched_rankings, 1);
  EXPECT_TRUE(summary->rows.empty());
}

TEST(LiveFaults, FullQueueDropsWholeRankingsAlsoWithCapture) {
  constexpr std::uint64_t kQueries = 3000;
  std::latch recorder_is_busy(1), recorder_may_go_on(1);
  std::atomic<bool> waited{false};
  Server server(
      [&](const Observation& one) {
        EXPECT_EQ(one.captured_docids.size(), 3U);
        if (waited.exchange(true)) return;
        recorder_is_busy.count_down();
        recorder_may_go_on.wait();
      },
      {.queue_bytes = 65536, .capture_depth = 10});
  EXPECT_EQ(server.search("t1"), kAnswer);
  recorder_is_busy.wait();
  for (std::uint64_t i = 1; i < kQueries; ++i) ASSERT_EQ(server.search("t1"), kAnswer);
  recorder_may_go_on.count_down();
  const Health health = server.experiment.summary()->health;
  EXPECT_GT(health.dropped_queue_full, kQueries / 2);
  expect_only(health, &Health::dropped_queue_full, kQueries - health.pushed);
}

// If a lost ranking counted twice, the share of drops could be above 100 %, or half as high.
TEST(LiveFaults, ARankingThatIsLostCountsOnce) {
  constexpr std::uint64_t kQueries = 3000;
  std::latch recorder_is_busy(1), recorder_may_go_on(1);
  std::atomic<bool> waited{false};
  Server server(
      [&](const Observation&) {
        if (waited.exchange(true)) return;
        recorder_is_busy.count_down();
        recorder_may_go_on.wait();
      },
      {.queue_bytes = 65536});
  Server other([](const Observation&) {});
  server.resolved = other.resolved;  // matches nothing
  static_cast<void>(server.experiment.add_arm("b"));
  EXPECT_EQ(server.search("t1"), kAnswer);
  recorder_is_busy.wait();
  for (std::uint64_t i = 1; i < kQueries; ++i) ASSERT_EQ(server.search("t1"), kAnswer);
  recorder_may_go_on.count_down();
  const auto summary = server.experiment.summary();
  const Health& health = summary->health;
  EXPECT_GT(health.dropped_queue_full, kQueries / 2);
  EXPECT_EQ(health.unmatched_rankings + health.dropped_queue_full, kQueries);
  const auto& checks = summary->pairs.at(0).checks;
  const auto drops = std::ranges::find(checks, CheckKind::kDrops, &Check::kind);
  ASSERT_NE(drops, checks.end());
  EXPECT_EQ(drops->a.count, kQueries);
  EXPECT_EQ(drops->a.of, kQueries);
}

}  // namespace
}  // namespace prescope
