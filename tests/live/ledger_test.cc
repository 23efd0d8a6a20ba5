#include "live/ledger/ledger.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prescope {
namespace {

constexpr std::uint32_t kDepth = 10;

/// One topic with four relevant documents, judgements a, b, c, d.
class LedgerTest : public ::testing::Test {
 protected:
  Qrels qrels_ = Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("a")},
                                                            {TopicId("t"), Docno("b")},
                                                            {TopicId("t"), Docno("c")},
                                                            {TopicId("t"), Docno("d")}});
  Scorer scorer_{parse_measures("PRES@10,R@20")};
  JudgedDocnos judged_{qrels_};
  Ledger ledger_{judged_, scorer_, 2};

  struct Seen {
    std::vector<JudgedHit> hits;
    Rank first_rank = 1;
    std::uint32_t requested = kDepth;
    std::uint32_t served = kDepth;
    std::uint64_t generation = 1;
    RankingFlags flags = RankingFlags::kNone;
  };

  void record(const Seen& seen, ArmIndex arm = ArmIndex(0)) {
    ledger_.record({.topic = TopicIndex(0),
                    .arm = arm,
                    .generation = seen.generation,
                    .latency = std::chrono::milliseconds(2),
                    .first_rank = seen.first_rank,
                    .requested_depth = seen.requested,
                    .num_ret = seen.served,
                    .flags = seen.flags,
                    .hits = seen.hits});
  }
  const Ledger::TopicState& state(ArmIndex arm = ArmIndex(0)) const {
    return ledger_.arm(arm).topics[0];
  }
  /// The score of the last visit.
  std::optional<double> last(std::size_t measure) const {
    const Ledger::Score& score = ledger_.score(ArmIndex(0), TopicIndex(0), measure);
    return score.visits > 0 ? std::optional(score.last) : std::nullopt;
  }
  std::vector<Rank> ranks(ArmIndex arm = ArmIndex(0)) const {
    std::vector<Rank> ranks;
    for (const JudgedHit& one : state(arm).ranking.hits) ranks.push_back(one.rank);
    return ranks;
  }
  static JudgedHit hit(Rank rank, std::uint32_t judgement) {
    return {rank, JudgementIndex(judgement)};
  }
};

TEST_F(LedgerTest, ScoresARankingWhenItIsRecorded) {
  record({.hits = {hit(1, 0), hit(3, 2)}});
  // PRES@10: (10+1-1) + (10+2-3) = 19 of 4 * 10.
  EXPECT_EQ(last(0), 19.0 / 40.0);
  EXPECT_EQ(ranks(), (std::vector<Rank>{1, 3}));
}

TEST(Ledger, ScoresMeasuresThatReadGrades) {
  const Qrels qrels = Qrels::from_lines(std::vector<Qrels::Line>{
      {TopicId("t"), Docno("a"), 2}, {TopicId("t"), Docno("b"), 0}, {TopicId("t"), Docno("c"), 1}});
  const Scorer scorer(parse_measures("nDCG bpref infAP Judged@4"));
  const JudgedDocnos judged(qrels);
  Ledger ledger(judged, scorer, 1);
  const std::vector<JudgedHit> hits = {
      {1, JudgementIndex(1)}, {2, JudgementIndex(2)}, {3, JudgementIndex(0)}};
  ledger.record({.topic = TopicIndex(0),
                 .generation = 1,
                 .first_rank = 1,
                 .requested_depth = 4,
                 .num_ret = 4,
                 .hits = hits});
  const std::span<const Ledger::Score> scores = ledger.arm(ArmIndex(0)).scores;
  const double log3 = std::log2(3.0);
  // (1 / log2(3) + 2 / log2(4)) / (2 / log2(2) + 1 / log2(3))
  EXPECT_NEAR(scores[0].last, (1 / log3 + 1) / (2 + 1 / log3), 1e-15);
  EXPECT_EQ(scores[1].visits, 1U);
  EXPECT_EQ(scores[1].last, 0.0) << "the document judged not relevant stands above both";
  EXPECT_EQ(scores[2].visits, 1U);
  EXPECT_EQ(scores[3].last, 3.0 / 4);
}

TEST_F(LedgerTest, ARetriedQueryIsScoredAndCountedWithoutItsLatency) {
  record({.hits = {hit(1, 0)}});
  record({.hits = {hit(2, 0)}, .flags = RankingFlags::kRetried});
  EXPECT_EQ(state().visits, 2U);
  EXPECT_EQ(ranks(), (std::vector<Rank>{2}));
  const Ledger::ArmState& arm = ledger_.arm(ArmIndex(0));
  EXPECT_EQ(arm.judged_queries, 2U);
  EXPECT_EQ(arm.retried_queries, 1U);
  EXPECT_EQ(arm.latency.count(), 1U);
  EXPECT_EQ(arm.self_time.count(), 1U);
  EXPECT_EQ(state().timed_visits, 1U);
  EXPECT_DOUBLE_EQ(state().sum_log_latency, std::log(2.0));  // one visit of 2 ms
}

TEST_F(LedgerTest, UntimedQueryIsScoredWithoutLatency) {
  record({.hits = {hit(1, 0)}, .flags = RankingFlags::kUntimed});
  const Ledger::ArmState& arm = ledger_.arm(ArmIndex(0));
  EXPECT_EQ(ranks(), (std::vector<Rank>{1}));
  EXPECT_EQ(state().last_latency_ms, std::nullopt);
  EXPECT_EQ(state().timed_visits, 0U);
  EXPECT_EQ(arm.latency.count(), 0U);
  EXPECT_EQ(arm.self_time.count(), 1U) << "observing took its time now";
  EXPECT_EQ(arm.retried_queries, 0U);
}

TEST_F(LedgerTest, APageBehindTheEndOfARankingIsNoGap) {
  record({.hits = {hit(1, 0)}, .requested = 2, .served = 2});
  record({.hits = {}, .first_rank = 3, .requested = 2, .served = 1});  // ends at rank 3
  record({.hits = {}, .first_rank = 5, .requested = 2, .served = 0});
  EXPECT_EQ(ledger_.page_gaps(), 0U);
  EXPECT_EQ(state().ranking.num_ret, 3U);
  record({.hits = {}, .first_rank = 5, .requested = 2, .served = 0, .generation = 2});
  EXPECT_EQ(ledger_.page_gaps(), 1U) << "of another generation nothing is known";
}

TEST_F(LedgerTest, ARetriedUnjudgedQueryIsCountedWithoutItsLatency) {
  ledger_.record({.latency = std::chrono::milliseconds(2), .flags = RankingFlags::kRetried});
  const Ledger::ArmState& arm = ledger_.arm(ArmIndex(0));
  EXPECT_EQ(arm.unjudged_queries, 1U);
  EXPECT_EQ(arm.retried_queries, 1U);
  EXPECT_EQ(arm.latency.count(), 0U);
}

TEST_F(LedgerTest, RankingCutBeforeTheCutoffHasNoValue) {
  record({.hits = {hit(1, 0)}});
  EXPECT_FALSE(last(1)) << "R@20 after 10 ranks is only a lower bound";
}

TEST_F(LedgerTest, RankingExhaustedBeforeTheCutoffHasAValue) {
  record({.hits = {hit(1, 0)}, .requested = 20, .served = 7});
  EXPECT_EQ(last(1), 0.25);
}

TEST_F(LedgerTest, PartialRankingIsNotExhausted) {
  record({.hits = {hit(1, 0)}, .requested = 20, .served = 7, .flags = RankingFlags::kPartial});
  EXPECT_FALSE(last(1));
}

TEST_F(LedgerTest, KeepsTheDeeperRankingOfAGeneration) {
  record({.hits = {hit(1, 0), hit(12, 1)}, .requested = 20, .served = 20});
  record({.hits = {hit(1, 0)}});
  EXPECT_EQ(last(1), 0.5);
  EXPECT_EQ(state().visits, 2U);
}

TEST_F(LedgerTest, NewerGenerationReplacesADeeperRanking) {
  record({.hits = {hit(1, 0), hit(12, 1)}, .requested = 20, .served = 20});
  record({.hits = {hit(2, 0)}, .generation = 2});
  EXPECT_EQ(ranks(), (std::vector<Rank>{2}));
  EXPECT_FALSE(last(1));
}

TEST_F(LedgerTest, LeavesOutAStragglerOfAnOlderGeneration) {
  record({.hits = {hit(2, 0)}, .generation = 2});
  record({.hits = {hit(1, 0), hit(2, 1)}, .requested = 20, .served = 20, .generation = 1});
  EXPECT_EQ(ranks(), (std::vector<Rank>{2}));
}

TEST_F(LedgerTest, JoinsLaterPagesToTheFirst) {
  record({.hits = {hit(1, 0)}});
  record({.hits = {hit(11, 1), hit(20, 3)}, .first_rank = 11});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1, 11, 20}));
  EXPECT_EQ(last(1), 0.75);
  EXPECT_EQ(ledger_.page_gaps(), 0U);
}

TEST_F(LedgerTest, DocumentOnTwoPagesCountsOnce) {
  record({.hits = {hit(1, 0)}});
  record({.hits = {hit(11, 0), hit(12, 1)}, .first_rank = 11});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1, 12}));
}

TEST_F(LedgerTest, OverlappingPageAddsOnlyNewRanks) {
  record({.hits = {hit(1, 0)}});
  record({.hits = {hit(8, 1), hit(14, 2)}, .first_rank = 6});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1, 14}));
  EXPECT_EQ(state().ranking.num_ret, 15U);
}

TEST_F(LedgerTest, CountsAPageWithoutItsEarlierPages) {
  record({.hits = {hit(11, 0)}, .first_rank = 11});
  EXPECT_FALSE(state().seen);
  record({.hits = {}});
  record({.hits = {hit(21, 0)}, .first_rank = 21});
  EXPECT_EQ(ledger_.page_gaps(), 2U);
  EXPECT_TRUE(ranks().empty());
}

TEST_F(LedgerTest, KeepsTheArmsApart) {
  record({.hits = {hit(1, 0)}}, ArmIndex(0));
  record({.hits = {hit(5, 0)}}, ArmIndex(1));
  EXPECT_EQ(ranks(ArmIndex(0)), (std::vector<Rank>{1}));
  EXPECT_EQ(ranks(ArmIndex(1)), (std::vector<Rank>{5}));
}

TEST_F(LedgerTest, KeepsOnlyTheLatencyOfAnUnjudgedQuery) {
  ledger_.record({.latency = std::chrono::milliseconds(3)});
  EXPECT_EQ(ledger_.arm(ArmIndex(0)).unjudged_queries, 1U);
  EXPECT_EQ(ledger_.arm(ArmIndex(0)).latency.count(), 1U);
  EXPECT_EQ(ledger_.arm(ArmIndex(0)).self_time.count(), 0U);
  EXPECT_FALSE(state().seen);
}

}  // namespace
}  // namespace prescope
