// Rankings are served unchanged, and recorded as they were served.
#include <gmock/gmock.h>

#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(Conformance, MeasuresAreTheSameForEveryAdapter) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  search_for(watched.experiment(), "T1", *subject->searcher("a"), {.word = "valve"});
  EXPECT_THAT(watched.only_ranks(), ElementsAre(2, 5));

  // n = 3, k = 2. PRES@10 = ((10 + 1 - 2) + (10 + 2 - 5)) / (3 * 10).
  const auto summary = watched.experiment().summary();
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "PRES@10").value(), 16.0 / 30.0);
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "R@10").value(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "AP@10").value(), (1.0 / 2.0 + 2.0 / 5.0) / 3.0);
  // Within N = 2 there is rank 2 alone: PRES@2 = (2 + 1 - 2) / (3 * 2).
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "PRES@2").value(), 1.0 / 6.0);
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "R@2").value(), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "AP@2").value(), (1.0 / 2.0) / 3.0);
}

TEST_P(Conformance, AnObservationHoldsTheFactsOfItsQuery) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  search_for(watched.experiment(), "T1", *subject->searcher("b"), {.word = "valve"});
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), 1U);
  const Observation& facts = seen.front().facts;
  EXPECT_EQ(facts.topic, watched.experiment().qrels().find("T1"));
  EXPECT_EQ(facts.arm, watched.experiment().arm("b"));
  EXPECT_EQ(facts.num_ret, 5U);
  EXPECT_EQ(facts.depth, 10U);
  EXPECT_EQ(facts.first_rank, 1U);
  EXPECT_EQ(facts.duplicates, 0U);
  EXPECT_EQ(facts.flags, subject->traits().timed ? RankingFlags::kNone : RankingFlags::kUntimed);
  EXPECT_THAT(facts.total_hits, AnyOf(5U, 0U));  // 0: the engine does not say
  if (!traits().docids) return;
  EXPECT_EQ(facts.documents, 5U);
  EXPECT_EQ(facts.generation, subject->resolved()->generation());
}

TEST_P(Conformance, TheRankingIsServedUnchanged) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(8), watched.experiment());
  const auto searcher = subject->searcher("a");
  for (const auto order : {Request::Order::kScore, Request::Order::kDocno}) {
    if (order == Request::Order::kDocno && !traits().sorts) continue;
    for (const Rank first_rank : {1U, 3U, 9U}) {
      if (first_rank > 1 && !traits().pages) continue;
      for (const std::uint32_t depth : {1U, 5U, 8U, 9U, 1000U}) {
        for (const char* word : {"valve", "pump", "absent"}) {
          const Request request{word, depth, first_rank, order};
          EXPECT_EQ(search_for(watched.experiment(), "T1", *searcher, request),
                    searcher->search_unobserved(request))
              << word << " from " << first_rank << " to depth " << depth;
        }
      }
    }
  }
  EXPECT_EQ(watched.experiment().summary()->health.adapter_failures, 0U);
}

TEST_P(Conformance, SortedSearchIsMatchedInItsOrderAndFlagged) {
  if (!traits().sorts) GTEST_SKIP() << "the engine ranks by score only";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  // Sorted by docno: EP1, EP2, EP3, EP4, EP5.
  search_for(watched.experiment(), "T1", *subject->searcher("a"),
             {.word = "valve", .order = Request::Order::kDocno});
  EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 4));
  EXPECT_TRUE(has(watched.seen().front().facts.flags, RankingFlags::kSorted));
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(mean_of(*summary, "a", "PRES@10"), std::nullopt) << "not the ranker's order";
  EXPECT_EQ(summary->arms[0].sorted_queries, 1U);
}

TEST_P(Conformance, EmptyRankingFindsNothing) {
  if (!traits().empty_rankings) GTEST_SKIP() << "the engine answers every query";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  EXPECT_THAT(search_for(watched.experiment(), "T1", *subject->searcher("a"), {.word = "absent"}),
              IsEmpty())
      << "if the engine answers every query, say so in Traits::empty_rankings";
  EXPECT_THAT(watched.only_ranks(), IsEmpty());
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[0].judged_queries, 1U);
  EXPECT_EQ(mean_of(*summary, "a", "PRES@10"), 0.0);
  EXPECT_EQ(summary->health.unmatched_rankings, 0U);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U);
}

TEST_P(Conformance, ExhaustedRankingHasAValueAtEveryCutoff) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  for (const std::uint32_t depth : {6U, 10U, 1'000'000U}) {
    EXPECT_EQ(
        search_for(watched.experiment(), "T1", *searcher, {.word = "valve", .depth = depth}).size(),
        5U);
    EXPECT_EQ(watched.seen().back().facts.depth, depth);
    const auto summary = watched.experiment().summary();
    EXPECT_TRUE(summary->rows.at(0).arms[0].exhausted);
    EXPECT_EQ(summary->rows.at(0).arms[0].num_ret, 5U);
    EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "PRES@10").value(), 16.0 / 30.0);
  }
}

TEST_P(Conformance, RankingCutBeforeTheCutoffHasNoValueThere) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  // At depth 5 all hits are served, but the engine does not report that there are no more.
  for (const std::uint32_t depth : {2U, 5U}) {
    search_for(watched.experiment(), "T1", *searcher, {.word = "valve", .depth = depth});
    const auto summary = watched.experiment().summary();
    EXPECT_FALSE(summary->rows.at(0).arms[0].exhausted);
    EXPECT_EQ(mean_of(*summary, "a", "PRES@10"), std::nullopt);
    EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "PRES@2").value(), 1.0 / 6.0);
    for (const MeasureMean& mean : summary->arms[0].means) {
      EXPECT_EQ(mean.too_shallow, mean.measure.cutoff() == Cutoff{10} ? 1U : 0U);
    }
  }
}

TEST_P(Conformance, LongRankingsOfEqualScoresKeepTheirRanks) {
  constexpr int kDocuments = 3000;
  std::vector<Doc> docs;
  Watched::Citations citations;
  for (int i = 0; i < kDocuments; ++i) {
    docs.push_back({"D" + std::to_string(i), "valve"});
    if (i % 7 == 0) citations.emplace_back("T1", docs.back().docno);
  }
  Watched watched(citations);
  const auto subject = opened(docs, watched.experiment());
  const auto searcher = subject->searcher("a");
  for (const std::uint32_t depth : {3000U, 1000U}) {
    const Request request{.word = "valve", .depth = depth};
    const std::vector<ServedHit> plain = searcher->search_unobserved(request);
    ASSERT_EQ(plain.size(), depth);
    EXPECT_EQ(search_for(watched.experiment(), "T1", *searcher, request), plain);
    EXPECT_EQ(watched.seen().back().hits, judged_among(watched.experiment(), "T1", plain));
  }
  EXPECT_EQ(watched.seen().front().hits.size(), citations.size());  // all are served
}

}  // namespace
}  // namespace prescope::conformance
