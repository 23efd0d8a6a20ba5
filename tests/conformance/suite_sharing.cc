// Several threads, arms and indexes in one experiment.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;

TEST_P(Conformance, EightThreadsAreServedAndRecordedLikeOne) {
  constexpr std::uint32_t kThreads = 8;
  constexpr std::size_t kRounds = 50;
  Watched::Citations citations;
  for (std::uint32_t t = 1; t <= kThreads; ++t) {
    citations.emplace_back("T" + std::to_string(t), "EP" + std::to_string(t));
  }
  Watched watched(citations);
  const auto subject = opened(valves(8), watched.experiment());
  const auto expected = subject->searcher("a")->search_unobserved({.word = "valve"});
  std::atomic<int> changed{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&, topic = "T" + std::to_string(t)] {
      const auto searcher = subject->searcher("a");
      for (std::size_t round = 0; round < kRounds; ++round) {
        const auto served = search_for(watched.experiment(), topic, *searcher, {.word = "valve"});
        changed += served != expected ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(changed, 0);
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), kThreads * kRounds);
  for (const Seen& one : seen) {
    // Topic Ti cites EPi alone, served at rank 9 - i; the topics T1 to T8 are in this order.
    const Rank rank = 8 - one.facts.topic.value();
    EXPECT_EQ(one.hits, (std::vector<JudgedHit>{{rank, JudgementIndex{0}}}));
  }
}

TEST_P(Conformance, TwoArmsOfOneIndexAreKeptApart) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto a = subject->searcher("a");
  const auto b = subject->searcher("b");
  search_for(watched.experiment(), "T1", *a, {.word = "valve"});
  search_for(watched.experiment(), "T1", *b, {.word = "pump"});
  const auto summary = watched.experiment().summary();
  ASSERT_EQ(summary->rows.size(), 1U);
  EXPECT_THAT(summary->rows[0].arms[0].relevant_ranks, ElementsAre(2, 5));
  // EPi holds "pump" 8 - i times: EP1 comes first, EP4 fourth.
  EXPECT_THAT(summary->rows[0].arms[1].relevant_ranks, ElementsAre(1, 4));
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "PRES@10").value(), 16.0 / 30.0);
  // ((10 + 1 - 1) + (10 + 2 - 4)) / (3 * 10)
  EXPECT_DOUBLE_EQ(mean_of(*summary, "b", "PRES@10").value(), 18.0 / 30.0);
}

TEST_P(Conformance, TwoIndexesAreEachMatchedWithTheirOwnTable) {
  Watched watched(valve_citations());
  Experiment& experiment = watched.experiment();
  const auto first = opened(valves(5), experiment);
  // The same documents in another order and one more: no docid names the same document.
  std::vector<Doc> docs = valves(5);
  docs.push_back({"EP99", "valve valve valve valve valve valve valve valve"});
  std::rotate(docs.begin(), docs.begin() + 4, docs.end());
  const auto second = opened(docs, experiment);
  for (int round = 0; round < 2; ++round) {
    search_for(experiment, "T1", *first->searcher("a"), {.word = "valve"});
    search_for(experiment, "T1", *second->searcher("b"), {.word = "valve"});
  }
  const auto summary = experiment.summary();
  ASSERT_EQ(summary->rows.size(), 1U);
  EXPECT_THAT(summary->rows[0].arms[0].relevant_ranks, ElementsAre(2, 5));
  EXPECT_THAT(summary->rows[0].arms[1].relevant_ranks, ElementsAre(1, 3, 6));
  if (!traits().docids) return;
  EXPECT_NE(first->resolved()->generation(), second->resolved()->generation());
  EXPECT_EQ(summary->arms[0].relevant_missing, 1U);
  EXPECT_EQ(summary->arms[1].relevant_missing, 0U);
}

}  // namespace
}  // namespace prescope::conformance
