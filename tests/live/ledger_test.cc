// Visits of users: pages, depths, and rankings that are left out.
#include "live/ledger/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prescope {
namespace {

constexpr std::uint32_t kDepth = 10;
constexpr std::uint64_t kSession = 77, kOtherSession = 78;

/// One topic with four relevant documents, judgements a, b, c, d.
class LedgerTest : public ::testing::Test {
 protected:
  Qrels qrels_ = Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("a")},
                                                            {TopicId("t"), Docno("b")},
                                                            {TopicId("t"), Docno("c")},
                                                            {TopicId("t"), Docno("d")}});
  Scorer scorer_{parse_measures("PRES@10,R@20,AP")};
  JudgedDocnos judged_{qrels_};
  Ledger ledger_{judged_, scorer_, 2};
  std::uint64_t visits_ = 0;

  struct Seen {
    std::vector<JudgedHit> hits{};
    Rank first_rank = 1;
    std::uint32_t requested = kDepth;
    std::uint32_t served = kDepth;
    std::uint64_t key = 0;
    std::uint64_t visit = 0;  ///< 0: another one
    std::uint64_t generation = 1;
    RankingFlags flags = RankingFlags::kNone;
  };

  Ledger::Placement record(const Seen& seen, ArmIndex arm = ArmIndex(0)) {
    return record_in(ledger_, seen, arm);
  }
  Ledger::Placement record_in(Ledger& ledger, const Seen& seen, ArmIndex arm = ArmIndex(0)) {
    return ledger.record({.topic = TopicIndex(0),
                          .arm = arm,
                          .visit = seen.visit != 0 ? seen.visit : ++visits_,
                          .visit_key = seen.key,
                          .generation = seen.generation,
                          .latency = std::chrono::milliseconds(2),
                          .first_rank = seen.first_rank,
                          .depth = seen.requested,
                          .num_ret = seen.served,
                          .flags = seen.flags,
                          .hits = seen.hits});
  }
  const Ledger::ArmState& arm(ArmIndex arm = ArmIndex(0)) {
    ledger_.settle();
    return ledger_.arm(arm);
  }
  const Ledger::TopicState& state(ArmIndex arm = ArmIndex(0)) const {
    return ledger_.arm(arm).served.topics[0];
  }
  const Score& score(std::size_t measure) const {
    return ledger_.score(ArmIndex(0), TopicIndex(0), measure);
  }
  std::optional<double> mean(std::size_t measure) const { return score(measure).value(); }
  std::vector<Rank> ranks(ArmIndex arm = ArmIndex(0)) const {
    std::vector<Rank> ranks;
    for (const JudgedHit& one : state(arm).last.ranking.hits) ranks.push_back(one.rank);
    return ranks;
  }
  static JudgedHit hit(Rank rank, std::uint32_t judgement) {
    return {rank, JudgementIndex(judgement)};
  }
  static std::vector<JudgedHit> all_found() { return {hit(1, 0), hit(2, 1), hit(3, 2), hit(4, 3)}; }
};

TEST_F(LedgerTest, ScoresARankingWhenItIsRecorded) {
  const Ledger::Placement place = record({.hits = {hit(1, 0), hit(3, 2)}});
  // PRES@10: (10+1-1) + (10+2-3) = 19 of 4 * 10.
  EXPECT_EQ(mean(0), 19.0 / 40.0);
  EXPECT_EQ(ranks(), (std::vector<Rank>{1, 3}));
  EXPECT_EQ(place.covered, 10U);
  EXPECT_FALSE(place.is_exhausted);
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
                 .depth = 4,
                 .num_ret = 4,
                 .hits = hits});
  const std::span<const Score> scores = ledger.arm(ArmIndex(0)).served.scores.row(0);
  const double log3 = std::log2(3.0);
  // (1 / log2(3) + 2 / log2(4)) / (2 / log2(2) + 1 / log2(3))
  EXPECT_NEAR(scores[0].last, (1 / log3 + 1) / (2 + 1 / log3), 1e-15);
  EXPECT_EQ(scores[1].visits, 1U);
  EXPECT_EQ(scores[1].last, 0.0) << "the document judged not relevant stands above both";
  EXPECT_EQ(scores[2].visits, 1U);
  EXPECT_EQ(scores[3].last, 3.0 / 4);
}

TEST_F(LedgerTest, AveragesATopicOverItsVisits) {
  for (const std::size_t found : {2U, 1U, 0U, 2U}) {
    auto hits = all_found();
    hits.resize(found);
    record({.hits = hits, .requested = 20, .served = 20});
  }
  EXPECT_DOUBLE_EQ(score(1).mean, (0.5 + 0.25 + 0.0 + 0.5) / 4);
  EXPECT_EQ(score(1).last, 0.5);
  EXPECT_EQ(score(1).visits, 4U);
  EXPECT_EQ(arm().served.totals[1].means(0).topics, 1U);
  EXPECT_EQ(arm().served.totals[1].means(0).visits, 4U);
}

// Issue: "PRES@10 stays 1.0000, visits 51, no counter moves."
TEST_F(LedgerTest, OneUserWhoOpensPage2DoesNotFreezeTheTopic) {
  record({.hits = all_found(), .key = kSession});
  record({.first_rank = 11, .key = kSession});
  // (10 + 1 - 1) + (10 + 2 - 2) + ... = 40 of 40.
  EXPECT_EQ(mean(0), 1.0);
  for (int user = 0; user < 50; ++user) record({});
  EXPECT_NEAR(*mean(0), 1.0 / 51, 1e-15);
  EXPECT_EQ(score(0).visits, 51U);
  EXPECT_EQ(score(1).visits, 1U) << "R@20 is reached by the user with two pages";
  EXPECT_EQ(score(1).shallow_visits, 50U);
}

// Issue: "One visit 100 deep in which A is better, then 20 visits 10 deep in which A finds nothing:
// 'A confirmed better' at 1.000 where its mean is .048."
TEST_F(LedgerTest, OneDeepVisitDoesNotOutweighTwentyShallowOnes) {
  record({.hits = all_found(), .requested = 100, .served = 100});
  for (int visit = 0; visit < 20; ++visit) record({});
  EXPECT_NEAR(*mean(0), 1.0 / 21, 1e-15);  // .048
  EXPECT_EQ(score(0).last, 0.0);
}

// Issue: "A first answer with 7 hits of 100 makes R@100 stay 0 after three full answers that find
// everything."
TEST_F(LedgerTest, ShortFirstAnswerCountsAsOneVisitOfFour) {
  record({.requested = 100, .served = 7});
  for (int visit = 0; visit < 3; ++visit) {
    record({.hits = all_found(), .requested = 100, .served = 100});
  }
  EXPECT_EQ(mean(1), 3.0 / 4);
}

TEST_F(LedgerTest, VisitCountsForTheMeasuresThatItReaches) {
  record({.hits = {hit(1, 0)}, .requested = 20, .served = 20});
  record({.hits = {hit(1, 0)}});
  EXPECT_EQ(score(0).visits, 2U);
  EXPECT_EQ(score(1).visits, 1U);
  EXPECT_EQ(score(1).shallow_visits, 1U);
  const MeasureMean means = arm().served.totals[1].means(0);
  EXPECT_EQ(means.shallow_visits, 1U);
  EXPECT_EQ(means.too_shallow, 0U) << "the topic has a value";
}

TEST_F(LedgerTest, RankingCutBeforeTheCutoffHasNoValue) {
  record({.hits = {hit(1, 0)}});
  EXPECT_FALSE(mean(1)) << "R@20 after 10 ranks is only a lower bound";
  EXPECT_EQ(arm().served.totals[1].means(0).too_shallow, 1U);
}

TEST_F(LedgerTest, RankingExhaustedBeforeTheCutoffHasAValue) {
  const Ledger::Placement place = record({.hits = {hit(1, 0)}, .requested = 20, .served = 7});
  EXPECT_EQ(mean(1), 0.25);
  EXPECT_TRUE(place.is_exhausted);
}

TEST_F(LedgerTest, PartialRankingIsScoredAsServedAndNotExhausted) {
  record({.hits = {hit(1, 0)}, .requested = 20, .served = 12, .flags = RankingFlags::kPartial});
  EXPECT_EQ(mean(0), 10.0 / 40);
  EXPECT_EQ(mean(1), 1.0 / 4) << "ranks 13 to 20 are empty";
  EXPECT_FALSE(state().last.exhausted);
  EXPECT_EQ(arm().partial_queries, 1U);
}

TEST_F(LedgerTest, PartialRankingHasNoValueBehindTheDepthThatWasAskedFor) {
  record({.hits = {hit(1, 0)}, .served = 5, .key = kSession, .flags = RankingFlags::kPartial});
  EXPECT_EQ(mean(0), 10.0 / 40) << "ranks 6 to 10 are empty";
  EXPECT_FALSE(mean(1)) << "R@20";
  record({.hits = {hit(6, 1)}, .first_rank = 6, .requested = 15, .served = 15, .key = kSession});
  EXPECT_EQ(mean(0), 16.0 / 40) << "(10 + 1 - 1) + (10 + 2 - 6)";
  EXPECT_EQ(mean(1), 2.0 / 4);
  EXPECT_EQ(ledger_.counts().page_gaps, 0U);
}

// Issue: "one visit sorted by docno halves PRES (.863 to .432), no counter shows it".
/// "A search that fails or times out is an empty ranking of its arm, in every mode."
TEST_F(LedgerTest, FailureIsAnEmptyRanking) {
  for (const auto flag : {RankingFlags::kFailed, RankingFlags::kTimedOut}) {
    const Ledger::Placement place = record({.served = 0, .generation = 0, .flags = flag});
    EXPECT_TRUE(place.is_exhausted);
  }
  for (const std::size_t measure : {0U, 1U, 2U}) {
    EXPECT_EQ(score(measure).visits, 2U);
    EXPECT_EQ(mean(measure), 0.0);
  }
  EXPECT_EQ(arm().served.failed, 2U);
  EXPECT_EQ(arm().served.visits, 2U);
  EXPECT_EQ(arm().served.topics_valued, 1U);
  EXPECT_EQ(arm().judged_queries, 0U);
}

TEST_F(LedgerTest, FailureNeverReplacesAnAnswerAndAnAnswerReplacesIt) {
  const Seen failure{.served = 0, .visit = 1, .generation = 0, .flags = RankingFlags::kFailed};
  record(failure);
  record({.hits = all_found(), .visit = 1});
  EXPECT_EQ(arm().served.failed, 0U);
  record(failure);
  EXPECT_EQ(mean(0), 1.0);
  EXPECT_EQ(score(1).visits, 0U) << "R@20: ten of its ranks are known, so the 0 is taken back";
  EXPECT_EQ(score(1).shallow_visits, 1U);
  EXPECT_EQ(arm().served.visits, 1U);
  EXPECT_EQ(arm().failed_queries, 2U);
}

TEST_F(LedgerTest, ValueThatWasTakenBackIsNoChange) {
  for (const std::size_t found : {2U, 4U}) {
    auto hits = all_found();
    hits.resize(found);
    record({.hits = hits, .requested = 20, .served = 20});
  }
  record({.served = 0, .visit = 9, .generation = 0, .flags = RankingFlags::kFailed});
  record({.hits = all_found(), .visit = 9});
  EXPECT_EQ(mean(1), 0.75) << "R@20 of two visits, 2/4 and 4/4";
  EXPECT_EQ(score(1).change(), 0.0);
}

/// R@20 of pages of ten. Asked for again, the page may be answered.
TEST_F(LedgerTest, FurtherPageThatFailedEndsTheVisitUntilItIsAnswered) {
  record({.hits = {hit(1, 0)}, .key = kSession});
  EXPECT_EQ(score(1).visits, 0U);
  const Seen failure{
      .served = 0, .key = kSession, .generation = 0, .flags = RankingFlags::kTimedOut};
  const Ledger::Placement place = record(failure);
  EXPECT_EQ(place.visit, 2U) << "logs have the failure as a request of its own";
  EXPECT_EQ(mean(1), 0.25);
  EXPECT_EQ(arm().served.visits, 1U);
  EXPECT_EQ(arm().served.failed, 0U) << "the visit has an answer";
  record({.hits = {hit(11, 1)}, .first_rank = 11, .requested = 5, .served = 5, .key = kSession});
  EXPECT_EQ(score(1).visits, 0U) << "15 of 20 ranks, and nothing says that more would fail";
  record({.first_rank = 16, .key = kSession});
  EXPECT_EQ(mean(1), 0.5);
}

TEST_F(LedgerTest, UnseenAnswerHasNoValueAndIsReplacedByAnAnswer) {
  const Seen unseen{.served = 0, .visit = 1, .generation = 0, .flags = RankingFlags::kUnseen};
  record(unseen);
  for (const std::size_t measure : {0U, 1U}) {
    EXPECT_EQ(score(measure).visits, 0U);
    EXPECT_EQ(score(measure).shallow_visits, 1U);
  }
  EXPECT_EQ(arm().served.unseen, 1U);
  EXPECT_EQ(arm().served.bounded, 1U);
  EXPECT_EQ(arm().served.topics_seen, 1U);
  EXPECT_EQ(arm().served.topics_valued, 0U);
  EXPECT_EQ(arm().latency.all.count(), 0U);
  record({.hits = all_found(), .visit = 1});
  record(unseen);
  EXPECT_EQ(mean(0), 1.0);
  EXPECT_EQ(arm().served.unseen, 0U);
  EXPECT_EQ(arm().served.bounded, 0U);
  EXPECT_EQ(arm().unseen_visits, 1U) << "the second, which changes nothing";
}

/// Nobody knows what was on the page that a cache answered, so a failed second page is no end.
TEST_F(LedgerTest, FailureDoesNotEndAVisitThatWasNotSeen) {
  record({.served = 0, .key = kSession, .generation = 0, .flags = RankingFlags::kUnseen});
  record({.served = 0, .key = kSession, .generation = 0, .flags = RankingFlags::kFailed});
  EXPECT_EQ(score(0).visits, 0U);
  EXPECT_EQ(arm().served.unseen, 1U);
}

TEST_F(LedgerTest, TopicsOfAnotherArmAreCountedOnce) {
  const auto assigned = [](TopicIndex) { return std::optional(ArmIndex(1)); };
  Ledger ledger(judged_, scorer_, 2, {.mode = Mode::kSplit, .assigned = assigned});
  const auto serve = [&](std::uint64_t visit, std::uint32_t by) {
    ledger.record({.topic = TopicIndex(0), .arm = ArmIndex(by), .visit = visit, .generation = 1});
  };
  serve(1, 1);
  EXPECT_EQ(ledger.track(ArmIndex(1)).topics_misassigned, 0U);
  serve(2, 0);
  serve(3, 0);
  EXPECT_EQ(ledger.track(ArmIndex(0)).topics_misassigned, 1U);
  EXPECT_EQ(ledger.track(ArmIndex(0)).topics_seen, 1U);
}

// A third arm that answered the hard topics of arm 1 made arm 1 "better" in 16 of 20 experiments.
TEST_F(LedgerTest, TopicThatAThirdArmServedMayHaveAnyValueOfItsOwn) {
  const auto assigned = [](TopicIndex) { return std::optional(ArmIndex(1)); };
  Ledger ledger(judged_, scorer_, 3, {.mode = Mode::kSplit, .assigned = assigned});
  ledger.record({.topic = TopicIndex(0), .arm = ArmIndex(2), .visit = 1, .generation = 1});
  const BoundedEvidence& of_its_own = ledger.pair(ArmIndex(1)).evidence[0];
  EXPECT_EQ(of_its_own.at_low().sums().sum(), -0.5) << "0 or 1, where 0.5 is expected";
  EXPECT_EQ(of_its_own.at_high().sums().sum(), 0.5);
  EXPECT_EQ(ledger.pair(ArmIndex(2)).evidence[0].topics(), 0U);
  EXPECT_EQ(ledger.track(ArmIndex(1)).topics_elsewhere, 1U);
  EXPECT_EQ(ledger.track(ArmIndex(2)).topics_misassigned, 1U);
}

TEST_F(LedgerTest, RankingsThatDoNotAnswerTheRankerAreCountedByReason) {
  record({.hits = {hit(1, 0), hit(3, 2)}});
  record({.flags = RankingFlags::kSorted});
  record({.flags = RankingFlags::kSorted | RankingFlags::kFiltered});
  record({.flags = RankingFlags::kFiltered});
  record({.flags = RankingFlags::kCollapsed});
  EXPECT_EQ(mean(0), 19.0 / 40);
  EXPECT_EQ(state().visits, 1U);
  EXPECT_EQ(arm().sorted_queries, 2U) << "each for its first reason";
  EXPECT_EQ(arm().filtered_queries, 1U);
  EXPECT_EQ(arm().collapsed_queries, 1U);
  EXPECT_EQ(arm().judged_queries, 5U);
}

TEST_F(LedgerTest, HostMayHaveFilteredRankingsScored) {
  Ledger ledger(judged_, scorer_, 1, {.scored_flags = RankingFlags::kFiltered});
  for (const RankingFlags flag : {RankingFlags::kFiltered, RankingFlags::kSorted}) {
    ledger.record({.topic = TopicIndex(0), .depth = 10, .num_ret = 10, .flags = flag});
  }
  EXPECT_EQ(ledger.arm(ArmIndex(0)).served.topics[0].visits, 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).filtered_queries, 0U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).sorted_queries, 1U);
}

TEST_F(LedgerTest, JoinsLaterPagesByKey) {
  record({.hits = {hit(1, 0)}, .key = kSession});
  record({.hits = {hit(2, 0)}, .key = kOtherSession});
  const Ledger::Placement place =
      record({.hits = {hit(11, 1), hit(20, 3)}, .first_rank = 11, .key = kSession});
  EXPECT_EQ(place.visit, 1U) << "that of the first page";
  EXPECT_EQ(place.covered, 20U);
  EXPECT_EQ(state().visits, 2U);
  EXPECT_EQ(mean(1), 0.75) << "the other session has not reached rank 20";
  EXPECT_EQ(ranks(), (std::vector<Rank>{2})) << "the last visit";
  EXPECT_EQ(score(1).last, 0.75);
  EXPECT_NE(score(1).last_place, state().visits);
  EXPECT_EQ(ledger_.counts().page_gaps + ledger_.counts().pages_without_key, 0U);
}

TEST_F(LedgerTest, MeasureWithoutACutoffIsRevisedByLaterPages) {
  record({.hits = {hit(1, 0)}, .key = kSession});
  EXPECT_EQ(mean(2), 1.0 / 4) << "AP: 1/1 of 4";
  record({.hits = {hit(12, 1)}, .first_rank = 11, .key = kSession});
  EXPECT_NEAR(*mean(2), (1.0 + 2.0 / 12) / 4, 1e-15);
  EXPECT_EQ(score(2).visits, 1U);
}

TEST_F(LedgerTest, RevisedEarlierVisitIsNotTheLast) {
  record({.hits = {hit(1, 0)}, .key = kSession});
  record({.hits = {hit(2, 0)}, .key = kOtherSession});
  record({.hits = {hit(12, 1)}, .first_rank = 11, .key = kSession});
  EXPECT_EQ(score(2).last, 0.5 / 4) << "AP of the other session";
  EXPECT_EQ(score(2).last_place, state().visits);
}

TEST_F(LedgerTest, LaterRankingOfARequestTakesThePlaceOfTheFirst) {
  record({.hits = {hit(1, 0)}, .visit = 5});
  record({.hits = {hit(2, 0), hit(15, 1)}, .requested = 20, .served = 20, .visit = 5});
  EXPECT_EQ(state().visits, 1U);
  EXPECT_EQ(ranks(), (std::vector<Rank>{2, 15})) << "nobody was served the first";
  EXPECT_EQ(mean(1), 0.5);
  record({.hits = {hit(1, 2)}, .visit = 5});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1})) << "the last one counts, although it is shorter";
  EXPECT_EQ(score(1).visits, 0U) << "nobody knows what follows its 10 hits";
  EXPECT_EQ(ledger_.arm(ArmIndex(0)).replaced_rankings, 1U) << "one request";
  record({.hits = {hit(1, 2)}, .requested = 20, .served = 3, .visit = 5});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1})) << "there was no more";
  EXPECT_EQ(mean(1), 0.25);
  EXPECT_EQ(state().visits, 1U);
}

/// A smaller page does not tell what the engine has behind rank 10.
TEST_F(LedgerTest, RankingThatEndsBeforeTheKnownHitsIsNotTheirEnd) {
  const Seen ended[] = {{.first_rank = 6, .served = 2, .key = kSession},
                        {.first_rank = 2, .requested = 30, .served = 1, .key = kSession}};
  const Ledger::Placement first = record({.hits = {hit(1, 0)}, .key = kSession, .visit = 1});
  for (const Seen& one : ended) {
    const Ledger::Placement place = record(one);
    EXPECT_EQ(place.covered, first.covered);
    EXPECT_FALSE(place.is_exhausted) << "from " << one.first_rank << ", " << one.served;
    EXPECT_EQ(mean(1), std::nullopt) << "R@20 of 10 ranks";
  }
  record({.first_rank = 11, .served = 0, .key = kSession});
  EXPECT_EQ(mean(1), 0.25) << "the end is at rank 10";
}

/// An event loop has thousands of requests that search again.
TEST_F(LedgerTest, ManyRequestsSearchAgainSideBySide) {
  constexpr std::uint64_t kRequests = 10'000;
  for (std::uint64_t request = 1; request <= kRequests; ++request) record({.visit = request});
  for (std::uint64_t request = 1; request <= kRequests; ++request) {
    record({.hits = all_found(), .visit = request});
  }
  EXPECT_EQ(score(0).visits, kRequests);
  EXPECT_NEAR(score(0).mean, 1.0, 1e-9) << "nobody was served the rankings that found nothing";
}

TEST_F(LedgerTest, LaterRankingOfAnEarlierVisitIsNotTheLast) {
  record({.hits = {hit(1, 0)}, .visit = 5});
  record({.hits = {hit(3, 0), hit(4, 1)}, .visit = 6});
  record({.hits = {}, .visit = 5});
  EXPECT_EQ(mean(1), std::nullopt) << "neither reaches rank 20";
  EXPECT_EQ(mean(0), 0.2) << "of 0 and (8 + 8) of 4 * 10";
  EXPECT_EQ(score(0).last, 0.4);
  EXPECT_EQ(ranks(), (std::vector<Rank>{3, 4}));
}

/// Logs have the visit that a page was placed in, and nothing of the request that asked for it.
TEST_F(LedgerTest, PlacesOfPagesFollowFromWhatLogsHave) {
  const Seen history[] = {
      {.hits = {hit(1, 0)}, .requested = 5, .served = 5, .key = kSession, .visit = 1},
      {.hits = {hit(6, 1)}, .first_rank = 6, .served = 5, .key = kSession, .visit = 2},
      {.hits = {hit(1, 0), hit(12, 2)}, .requested = 20, .served = 20, .key = kSession, .visit = 1},
      {.first_rank = 11, .key = kSession, .visit = 3},
      {.hits = {hit(2, 3)}, .key = kSession, .visit = 3},
      {.hits = {hit(2, 3)}, .key = kSession, .visit = 2},
  };
  Ledger again(judged_, scorer_, 2);
  for (Seen one : history) {
    const Ledger::Placement place = record(one);
    one.visit = place.visit;
    const Ledger::Placement logged = record_in(again, one);
    EXPECT_EQ(logged.visit, place.visit);
    EXPECT_EQ(logged.covered, place.covered);
    EXPECT_EQ(again.score(ArmIndex(0), TopicIndex(0), 0).mean, score(0).mean);
  }
  EXPECT_EQ(score(0).visits, 3U) << "the first, and each request that ranked again from rank 1";
}

TEST_F(LedgerTest, FirstPageAgainIsAnotherVisit) {
  record({.hits = {hit(1, 0)}, .key = kSession});
  record({.hits = {hit(2, 0)}, .key = kSession});
  record({.hits = {hit(11, 1)}, .first_rank = 11, .key = kSession});
  EXPECT_EQ(state().visits, 2U);
  EXPECT_EQ(ranks(), (std::vector<Rank>{2, 11})) << "the page belongs to the latest";
}

TEST_F(LedgerTest, DocumentOnTwoPagesCountsOnce) {
  record({.hits = {hit(1, 0)}, .key = kSession});
  record({.hits = {hit(11, 0), hit(12, 1)}, .first_rank = 11, .key = kSession});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1, 12}));
}

TEST_F(LedgerTest, OverlappingPageAddsOnlyNewRanks) {
  record({.hits = {hit(1, 0)}, .key = kSession});
  record({.hits = {hit(8, 1), hit(14, 2)}, .first_rank = 6, .key = kSession});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1, 14}));
  EXPECT_EQ(state().last.ranking.num_ret, 15U);
}

TEST_F(LedgerTest, PagesAfterAShortOneReviseTheVisit) {
  record({.hits = {hit(1, 0)}, .served = 7, .key = kSession});
  EXPECT_EQ(mean(1), 0.25) << "the engine had no more hits";
  record({.hits = {hit(8, 1)}, .first_rank = 8, .key = kSession});
  EXPECT_EQ(mean(1), 0.5);
  record({.hits = {hit(18, 2)}, .first_rank = 18, .key = kSession});
  EXPECT_EQ(mean(1), 0.75);
  EXPECT_EQ(score(1).visits, 1U);
}

TEST_F(LedgerTest, APageBehindTheEndOfARankingIsNoGap) {
  record({.hits = {hit(1, 0)}, .requested = 2, .served = 2, .key = kSession});
  record({.first_rank = 3, .requested = 2, .served = 1, .key = kSession});  // ends at rank 3
  record({.first_rank = 5, .requested = 2, .served = 0, .key = kSession});
  EXPECT_EQ(ledger_.counts().page_gaps, 0U);
  EXPECT_EQ(state().last.ranking.num_ret, 3U);
  record({.first_rank = 5, .requested = 2, .served = 0, .key = kSession, .generation = 1U << 31U});
  EXPECT_EQ(ledger_.counts().page_gaps, 1U) << "the index has another state";
}

TEST_F(LedgerTest, CountsPagesThatNobodyCanPlace) {
  record({.hits = {hit(11, 0)}, .first_rank = 11});
  record({.hits = {hit(11, 0)}, .first_rank = 11, .key = kSession});
  EXPECT_FALSE(state().seen());
  record({.key = kSession});
  record({.hits = {hit(21, 0)}, .first_rank = 21, .key = kSession});
  record({.hits = {hit(11, 0)}, .first_rank = 11});
  EXPECT_EQ(ledger_.counts().pages_without_key, 2U);
  EXPECT_EQ(ledger_.counts().page_gaps, 2U);
  EXPECT_TRUE(ranks().empty());
}

TEST_F(LedgerTest, ForgetsTheOldestOpenVisits) {
  for (std::uint64_t user = 1; user <= Ledger::kOpenVisits + 1; ++user) record({.key = user});
  record({.first_rank = 11, .key = 1});
  EXPECT_EQ(ledger_.counts().page_gaps, 1U);
  record({.first_rank = 11, .key = 2});
  record({.first_rank = 11, .key = Ledger::kOpenVisits + 1});
  EXPECT_EQ(ledger_.counts().page_gaps, 1U);
  EXPECT_EQ(score(1).visits, 2U);
}

TEST_F(LedgerTest, ARetriedQueryIsScoredAndCountedWithoutItsLatency) {
  record({.hits = {hit(1, 0)}});
  record({.hits = {hit(2, 0)}, .flags = RankingFlags::kRetried});
  EXPECT_EQ(state().visits, 2U);
  EXPECT_EQ(ranks(), (std::vector<Rank>{2}));
  EXPECT_EQ(arm().judged_queries, 2U);
  EXPECT_EQ(arm().retried_queries, 1U);
  EXPECT_EQ(arm().latency.all.count(), 1U);
  EXPECT_EQ(arm().self_time.count(), 1U);
  EXPECT_EQ(state().last_latency_ms, 2.0) << "of the first visit";
}

TEST_F(LedgerTest, UntimedQueryIsScoredWithoutLatency) {
  record({.hits = {hit(1, 0)}, .flags = RankingFlags::kUntimed});
  EXPECT_EQ(ranks(), (std::vector<Rank>{1}));
  EXPECT_EQ(state().last_latency_ms, std::nullopt);
  EXPECT_EQ(arm().latency.all.count(), 0U);
  EXPECT_EQ(arm().self_time.count(), 1U) << "observing took its time now";
  EXPECT_EQ(arm().retried_queries, 0U);
}

TEST_F(LedgerTest, ARetriedUnjudgedQueryIsCountedWithoutItsLatency) {
  ledger_.record({.latency = std::chrono::milliseconds(2), .flags = RankingFlags::kRetried});
  EXPECT_EQ(arm().unjudged_queries, 1U);
  EXPECT_EQ(arm().retried_queries, 1U);
  EXPECT_EQ(arm().latency.all.count(), 0U);
}

TEST_F(LedgerTest, KeepsTheArmsApart) {
  record({.hits = {hit(1, 0)}, .key = kSession}, ArmIndex(0));
  record({.hits = {hit(5, 0)}, .key = kSession}, ArmIndex(1));
  record({.hits = {hit(11, 1)}, .first_rank = 11, .key = kSession}, ArmIndex(0));
  EXPECT_EQ(ranks(ArmIndex(0)), (std::vector<Rank>{1, 11}));
  EXPECT_EQ(ranks(ArmIndex(1)), (std::vector<Rank>{5}));
}

TEST_F(LedgerTest, KeepsOnlyTheLatencyOfAnUnjudgedQuery) {
  ledger_.record({.latency = std::chrono::milliseconds(3)});
  EXPECT_EQ(arm().unjudged_queries, 1U);
  EXPECT_EQ(arm().latency.all.count(), 1U);
  EXPECT_EQ(arm().self_time.count(), 0U);
  EXPECT_FALSE(state().seen());
}

/// Returns the step that one topic with this score is counted in.
std::size_t step_of(double score) {
  ScoreTotals totals(Measure::parse("PRES@10"));
  totals.count({.mean = score, .last = score, .visits = 1}, Sign::kAdd);
  const ScoreCounts counts = totals.means(0).scores;
  EXPECT_EQ(std::ranges::count(counts, 1U), 1);
  EXPECT_EQ(std::ranges::count(counts, 0U), std::ssize(counts) - 1);
  return static_cast<std::size_t>(std::ranges::find(counts, 1U) - counts.begin());
}

TEST(ScoreTotals, CountAScoreAtTheEndOfAStepInThatStep) {
  for (std::size_t step = 0; step <= 20; ++step) {
    const double end = static_cast<double>(step) / 20.0;
    EXPECT_EQ(step_of(end), step);
    EXPECT_EQ(step_of(std::nextafter(end, -1.0)), step) << end;
    EXPECT_EQ(step_of(std::nextafter(end, 2.0)), step + 1) << end;
  }
  EXPECT_EQ(step_of(-0.5), 0U);
  EXPECT_EQ(step_of(1.5), 21U);
}

TEST(ScoreTotals, CountNothingOfATopicThatWasTakenOut) {
  ScoreTotals totals(Measure::parse("PRES@10"));
  const Score score{.mean = 0.3, .last = 0.3, .visits = 1};
  totals.count(score, Sign::kAdd);
  totals.count(score, Sign::kTakeOut);
  EXPECT_EQ(totals.means(0).scores, ScoreCounts{});
}

}  // namespace
}  // namespace prescope
