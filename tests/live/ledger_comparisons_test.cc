// Mode::kPaired: visits that arms rank for comparison, and the evidence that they give.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "live/ledger/ledger.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;

constexpr auto kFailed = RankingFlags::kFailed;

/// Topics t0 and t1 with two relevant documents each; R@10 is 0, 1/2 or 1.
class LedgerComparisons : public ::testing::Test {
 protected:
  static Qrels two_topics() {
    std::vector<Qrels::Line> lines;
    for (const char* topic : {"t0", "t1"}) {
      for (const char* docno : {"a", "b"}) lines.push_back({TopicId(topic), Docno(docno)});
    }
    return Qrels::from_lines(lines);
  }
  static LedgerOptions paired(ShadowOptions::Latency latency) {
    return {.mode = Mode::kPaired, .epochs = EpochRule::kConfiguration, .shadow_latency = latency};
  }

  Qrels qrels_ = two_topics();
  JudgedDocnos judged_{qrels_};
  Scorer scorer_{parse_measures("R@10 R@20")};
  Ledger ledger_{judged_, scorer_, 2, paired(ShadowOptions::Latency::kBothArms)};

  struct Seen {
    std::uint32_t arm = 0;
    std::uint64_t visit = 1;
    std::uint32_t found = 1;     ///< relevant documents
    std::uint32_t compared = 2;  ///< arms; 0: served to a user
    std::uint32_t topic = 0;
    std::uint32_t requested = 20, served = 20;
    milliseconds latency = milliseconds(2);
    std::uint64_t generation = 1;
    RankingFlags flags = RankingFlags::kNone;
  };
  static void record(Ledger& ledger, const Seen& seen) {
    const JudgedHit hits[] = {{1, JudgementIndex(0)}, {2, JudgementIndex(1)}};
    ledger.record({.topic = TopicIndex(seen.topic),
                   .arm = ArmIndex(seen.arm),
                   .visit = seen.visit,
                   .compared_arms = seen.compared,
                   .generation = seen.generation,
                   .latency = seen.latency,
                   .depth = seen.requested,
                   .num_ret = seen.served,
                   .flags = seen.flags,
                   .hits = std::span(hits).first(seen.found)});
  }
  void record(const Seen& seen) { record(ledger_, seen); }
  /// Of R@10.
  const Score& compared(std::uint32_t arm, std::size_t measure = 0) const {
    return ledger_.score(ArmIndex(arm), TopicIndex(0), measure);
  }
  const Score& served(std::uint32_t arm) const {
    return ledger_.arm(ArmIndex(arm)).served.scores[0];
  }
  const PairTotals& totals() {
    ledger_.settle();
    return ledger_.pair(ArmIndex(1)).totals[0];
  }
  TopicSums evidence() const { return evidence_of(ledger_, 0).at_low().sums(); }
  static const BoundedEvidence& evidence_of(const Ledger& ledger, std::size_t measure) {
    return ledger.pair(ArmIndex(1)).evidence[measure];
  }
  /// The sums of the evidence at its lower and at its upper bounds.
  static std::pair<double, double> sums_of(const Ledger& ledger, std::size_t measure) {
    const BoundedEvidence& evidence = evidence_of(ledger, measure);
    return {evidence.at_low().sums().sum(), evidence.at_high().sums().sum()};
  }
  Ledger split() const {
    return {judged_, scorer_, 2, {.mode = Mode::kSplit, .epochs = EpochRule::kConfiguration}};
  }
};

TEST_F(LedgerComparisons, ArmsAreComparedByVisitsThatBothRanked) {
  record({.arm = 0, .visit = 1, .found = 2, .compared = 0});
  record({.arm = 0, .visit = 1, .found = 2});
  EXPECT_EQ(totals().topics(), 0U);
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 1U) << "one arm is missing yet";
  record({.arm = 1, .visit = 1, .found = 1});
  EXPECT_EQ(ledger_.epoch().compared_visits, 1U);
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 0U);
  record({.arm = 0, .visit = 2, .found = 0, .compared = 0});
  record({.arm = 0, .visit = 2, .found = 0});  // the search of arm 1 was dropped
  EXPECT_EQ(served(0).mean, 0.5) << "1 and 0";
  EXPECT_EQ(compared(0).mean, 1.0);
  EXPECT_EQ(totals().mean_difference(), -0.5);
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 1U);
}

// An arm that served, failed and was not compared was "better" in 40 of 40 experiments.
TEST_F(LedgerComparisons, WhatIsMissingMayBeAnything) {
  const Seen announced{
      .visit = 1, .found = 0, .served = 0, .generation = 0, .flags = RankingFlags::kUnseen};
  const Seen failed{
      .visit = 1, .found = 0, .compared = 0, .served = 0, .generation = 0, .flags = kFailed};
  const auto expect = [this](double low, double high, std::uint64_t incomplete,
                             std::string_view why) {
    EXPECT_EQ(sums_of(ledger_, 0), std::pair(low, high)) << why;
    EXPECT_EQ(ledger_.epoch().incomplete_visits, incomplete) << why;
  };
  record(failed);
  expect(0.0, 0.0, 0, "nobody has asked for a comparison");
  record(announced);
  expect(0.0, 1.0, 1, "arm 0 has 0, and arm 1 may have anything");
  record({.arm = 0, .visit = 1, .found = 2});
  expect(0.0, 1.0, 1, "what arm 0 failed to serve counts before its search for comparison");
  record({.arm = 0, .visit = 2, .found = 2});
  record({.arm = 1, .visit = 2, .found = 2});
  expect(0.0, 1.0, 1, "the first visit stays the evidence");
  record({.arm = 1, .visit = 1, .found = 1});
  expect(0.5, 0.5, 0, "both have ranked it");
}

TEST_F(LedgerComparisons, AVisitThatWasGivenUpGivesWayToTheNext) {
  const Seen announced{
      .visit = 1, .found = 0, .served = 0, .generation = 0, .flags = RankingFlags::kUnseen};
  record(announced);
  EXPECT_EQ(sums_of(ledger_, 0), std::pair(-1.0, 1.0));
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 0U) << "no arm was searched";
  EXPECT_EQ(ledger_.arm(ArmIndex(0)).unseen_visits, 0U) << "it was no answer to a user";
  record({.arm = 0, .visit = 2, .found = 1});
  EXPECT_EQ(sums_of(ledger_, 0), std::pair(-0.5, 0.5));
  record({.arm = 1, .visit = 2, .found = 2});
  EXPECT_EQ(sums_of(ledger_, 0), std::pair(0.5, 0.5));
}

TEST_F(LedgerComparisons, AnswerAfterAFailureLetsTheSearchForComparisonCount) {
  record({.visit = 1, .found = 0, .compared = 0, .served = 0, .generation = 0, .flags = kFailed});
  record({.arm = 0, .visit = 1, .found = 2, .compared = 0});
  record({.arm = 0, .visit = 1, .found = 2});
  record({.arm = 1, .visit = 1, .found = 1});
  EXPECT_EQ(sums_of(ledger_, 0), std::pair(-0.5, -0.5));
}

// Users who sort under both arms were "not ranked by every arm", and voided every verdict.
TEST_F(LedgerComparisons, WhatOneArmAloneSortedMayBeAnything) {
  record({.arm = 0, .visit = 1, .flags = RankingFlags::kSorted});
  record({.arm = 1, .visit = 1, .flags = RankingFlags::kSorted});
  EXPECT_EQ(evidence().n(), 0U) << "the user sorted";
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 0U);
  record({.arm = 0, .visit = 2, .found = 1});
  record({.arm = 1, .visit = 2, .found = 2, .flags = RankingFlags::kFiltered});
  EXPECT_EQ(sums_of(ledger_, 0), std::pair(-0.5, 0.5));
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 1U);
}

TEST_F(LedgerComparisons, EvidenceIsATopicsFirstDifference) {
  record({.arm = 0, .visit = 1, .found = 1});
  record({.arm = 1, .visit = 1, .found = 2});  // +1/2
  record({.arm = 1, .visit = 2, .found = 0});
  record({.arm = 0, .visit = 2, .found = 2});  // -1
  EXPECT_EQ(totals().mean_difference(), -0.25);
  EXPECT_EQ(totals().topics(), 1U);
  EXPECT_EQ(evidence().n(), 1U);
  EXPECT_EQ(evidence().sum(), 0.5);
  EXPECT_EQ(evidence().squares(), 0.25);
}

TEST_F(LedgerComparisons, PartialRankingIsComparedAsItWasServed) {
  record({.arm = 0, .visit = 1, .found = 2});
  record({.arm = 1, .visit = 1, .found = 1, .served = 5, .flags = RankingFlags::kPartial});
  EXPECT_EQ(totals().mean_difference(), -0.5) << "R@10: 2 and 1 of 2";
}

TEST_F(LedgerComparisons, MeasureThatOneRankingDoesNotReachHasBounds) {
  record({.arm = 0, .visit = 1, .found = 2});
  record({.arm = 1, .visit = 1, .found = 1, .requested = 15, .served = 15});
  EXPECT_EQ(compared(0).visits, 1U);
  for (const std::uint32_t arm : {0U, 1U}) {
    EXPECT_EQ(compared(arm, 1).visits, 0U) << "R@20";
    EXPECT_EQ(compared(arm, 1).shallow_visits, 1U);
  }
  record({.arm = 0, .visit = 2, .found = 2});
  record({.arm = 1, .visit = 2, .found = 1});
  EXPECT_EQ(compared(1, 1).visits, 1U);
  EXPECT_EQ(sums_of(ledger_, 1), std::pair(-0.5, 0.0))
      << "of the first visit: the other document may be at rank 16 or nowhere";
}

/// R@20 in a first visit. A ranking may end at 20, be at its end, or go on behind what was served.
TEST_F(LedgerComparisons, PairIsBoundedByWhatMayFollow) {
  const struct {
    const char* name;
    Seen a, b;
    std::uint64_t bounded;
    double low, high;
  } kCases[] = {
      {"both known", {.found = 1}, {.found = 2}, 0, 0.5, 0.5},
      // Its list had ended, so it lacks the second document.
      {"A ended, B goes on",
       {.found = 1, .served = 8},
       {.found = 0, .requested = 10, .served = 10},
       1,
       -0.5,
       0.5},
      {"A goes on, B ended",
       {.found = 1, .requested = 10, .served = 10},
       {.found = 1, .served = 8},
       1,
       -0.5,
       0.0},
      {"both go on",
       {.found = 1, .requested = 10, .served = 10},
       {.found = 0, .requested = 10, .served = 10},
       1,
       -1.0,
       0.5},
      {"A goes on, all found",
       {.found = 2, .requested = 10, .served = 10},
       {.found = 1},
       0,
       -0.5,
       -0.5},
      {"A goes on, B failed",
       {.found = 1, .requested = 10, .served = 10},
       {.found = 0, .flags = kFailed},
       1,
       -1.0,
       -0.5},
      {"A unseen",
       {.found = 0, .served = 0, .flags = RankingFlags::kUnseen},
       {.found = 1},
       1,
       -0.5,
       0.5},
  };
  for (const auto& one : kCases) {
    Ledger ledger(judged_, scorer_, 2, paired(ShadowOptions::Latency::kBothArms));
    Seen a = one.a, b = one.b;
    a.arm = 0;
    b.arm = 1;
    record(ledger, a);
    record(ledger, b);
    EXPECT_EQ(evidence_of(ledger, 1).topics(), 1U) << one.name;
    EXPECT_EQ(evidence_of(ledger, 1).bounded(), one.bounded) << one.name;
    EXPECT_EQ(sums_of(ledger, 1), std::pair(one.low, one.high)) << one.name;
  }
}

/// R@20 less 1/2, which is expected of the first topic; with the opposite sign for arm 0.
TEST_F(LedgerComparisons, SplitEvidenceHasBounds) {
  constexpr auto kUnseen = RankingFlags::kUnseen, kTimedOut = RankingFlags::kTimedOut;
  const struct {
    const char* name;
    Seen seen;
    double low, high;
  } kCases[] = {
      {"B known", {.arm = 1, .found = 1}, 0.0, 0.0},
      {"B failed", {.arm = 1, .found = 0, .served = 0, .flags = kFailed}, -0.5, -0.5},
      {"B timed out", {.arm = 1, .found = 0, .served = 0, .flags = kTimedOut}, -0.5, -0.5},
      {"A failed", {.arm = 0, .found = 0, .served = 0, .flags = kFailed}, 0.5, 0.5},
      {"B unseen", {.arm = 1, .found = 0, .served = 0, .flags = kUnseen}, -0.5, 0.5},
      {"B goes on", {.arm = 1, .found = 1, .requested = 10, .served = 10}, 0.0, 0.5},
      {"A goes on", {.arm = 0, .found = 1, .requested = 10, .served = 10}, -0.5, 0.0},
      {"A ended", {.arm = 0, .found = 1, .requested = 20, .served = 10}, 0.0, 0.0},
  };
  for (const auto& one : kCases) {
    Ledger ledger = split();
    Seen seen = one.seen;
    seen.compared = 0;
    record(ledger, seen);
    EXPECT_EQ(sums_of(ledger, 1), std::pair(one.low, one.high)) << one.name;
    seen.visit = 2;
    seen.arm = 1 - seen.arm;
    record(ledger, seen);
    EXPECT_EQ(sums_of(ledger, 1), std::pair(one.low, one.high)) << one.name << ", another visit";
  }
}

TEST_F(LedgerComparisons, FailedSearchIsAnEmptyRanking) {
  record({.arm = 0, .visit = 1, .found = 2});
  record({.arm = 1, .visit = 1, .found = 0, .flags = kFailed});
  EXPECT_EQ(totals().mean_difference(), -1.0);
  EXPECT_EQ(compared(1, 1).visits, 1U) << "an empty ranking reaches every cutoff";
  EXPECT_EQ(served(1).visits, 0U);
  EXPECT_EQ(ledger_.pair(ArmIndex(1)).latency.pairs().n(), 0U);
  EXPECT_EQ(ledger_.pair(ArmIndex(1)).failed_a, 0U);
  EXPECT_EQ(ledger_.pair(ArmIndex(1)).failed_b, 1U);
}

TEST_F(LedgerComparisons, VisitWithASortedRankingIsIncomplete) {
  record({.arm = 0, .visit = 1, .found = 2});
  record({.arm = 1, .visit = 1, .found = 0, .flags = RankingFlags::kSorted});
  EXPECT_EQ(totals().topics(), 0U);
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 1U);
  EXPECT_EQ(ledger_.arm(ArmIndex(1)).sorted_queries, 1U);
}

TEST_F(LedgerComparisons, RankingsOnTwoStatesOfAnIndexAreNotCompared) {
  record({.arm = 0, .visit = 1, .found = 2, .generation = 1});
  record({.arm = 1, .visit = 1, .found = 1, .generation = 2});
  EXPECT_EQ(totals().topics(), 0U);
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 1U);
  record({.arm = 0, .visit = 2, .found = 2, .generation = 2});
  record({.arm = 1, .visit = 2, .found = 1, .generation = (std::uint64_t{7} << 32U) + 1});
  EXPECT_EQ(totals().topics(), 1U) << "each arm may have an index of its own";
}

TEST_F(LedgerComparisons, WithoutLatencyTheServedRankingIsCompared) {
  Ledger ledger(judged_, scorer_, 2, paired(ShadowOptions::Latency::kNotCompared));
  record(ledger, {.arm = 0, .visit = 1, .found = 2, .compared = 0});
  EXPECT_EQ(ledger.epoch().incomplete_visits, 0U) << "nobody has asked for a comparison";
  record(ledger, {.arm = 1, .visit = 1, .found = 1});
  EXPECT_EQ(ledger.epoch().compared_visits, 1U);
  ledger.settle();
  EXPECT_EQ(ledger.pair(ArmIndex(1)).totals[0].mean_difference(), -0.5);
  EXPECT_EQ(ledger.pair(ArmIndex(1)).latency.pairs().n(), 0U);
  record(ledger, {.arm = 1, .visit = 2, .found = 1});  // the served ranking was dropped
  EXPECT_EQ(ledger.epoch().incomplete_visits, 1U);
}

/// The user saw the last answer, after a retry or another spelling.
TEST_F(LedgerComparisons, LastServedRankingIsComparedIfLatencyIsNot) {
  Ledger ledger(judged_, scorer_, 2, paired(ShadowOptions::Latency::kNotCompared));
  record(ledger, {.arm = 0, .visit = 1, .found = 0, .compared = 0, .flags = kFailed});
  record(ledger, {.arm = 0, .visit = 1, .found = 0, .compared = 0});
  record(ledger, {.arm = 0, .visit = 1, .found = 1, .compared = 0});
  record(ledger, {.arm = 0, .visit = 1, .found = 2, .compared = 0, .requested = 15, .served = 15});
  record(ledger, {.arm = 0, .visit = 1, .found = 0, .compared = 0, .flags = kFailed});
  record(ledger, {.arm = 1, .visit = 1, .found = 1});
  record(ledger, {.arm = 0, .visit = 1, .found = 0, .compared = 0});
  EXPECT_EQ(ledger.epoch().compared_visits, 1U);
  ledger.settle();
  EXPECT_EQ(ledger.pair(ArmIndex(1)).totals[0].mean_difference(), -0.5) << "2 and 1 of 2";
  EXPECT_EQ(ledger.pair(ArmIndex(1)).failed_a, 0U);
}

/// A host that asks another arm after a failure must not hide the failure.
TEST_F(LedgerComparisons, FailureBeforeAnotherArmAnsweredIsComparedIfLatencyIsNot) {
  Ledger ledger(judged_, scorer_, 2, paired(ShadowOptions::Latency::kNotCompared));
  record(ledger, {.arm = 0, .visit = 1, .found = 0, .compared = 0, .flags = kFailed});
  record(ledger, {.arm = 1, .visit = 1, .found = 1, .compared = 0});
  record(ledger, {.arm = 0, .visit = 1, .found = 2});
  EXPECT_EQ(ledger.epoch().compared_visits, 1U);
  EXPECT_EQ(ledger.epoch().incomplete_visits, 0U);
  ledger.settle();
  EXPECT_EQ(ledger.pair(ArmIndex(1)).totals[0].mean_difference(), 0.5) << "1 of 2, and nothing";
}

TEST_F(LedgerComparisons, SplitEvidenceIsOfTheRankingThatWasServed) {
  Ledger ledger = split();
  const auto sum = [&] { return evidence_of(ledger, 0).at_low().sums().sum(); };
  record(ledger, {.arm = 1, .visit = 1, .found = 1, .compared = 0});
  EXPECT_EQ(sum(), 0.0) << "1/2 - 1/2, which is expected of the first topic";
  record(ledger, {.arm = 1, .visit = 1, .found = 2, .compared = 0});
  EXPECT_EQ(sum(), 0.5);
  record(ledger, {.arm = 1, .visit = 2, .found = 0, .compared = 0});
  record(ledger, {.arm = 1, .visit = 1, .found = 0, .compared = 0});
  EXPECT_EQ(sum(), -0.5) << "nothing found: more is known of the same visit";
  EXPECT_EQ(evidence_of(ledger, 0).topics(), 1U);
}

TEST_F(LedgerComparisons, ArmsAreTimedByTheirShadowsOnly) {
  record({.arm = 0, .compared = 0, .latency = milliseconds(50)});
  record({.arm = 0, .latency = milliseconds(10)});
  record({.arm = 1, .latency = milliseconds(20)});
  const TopicSums& ratio = ledger_.pair(ArmIndex(1)).latency.pairs();
  EXPECT_EQ(ratio.n(), 1U);
  EXPECT_NEAR(ratio.sum(), std::log(2.0), 1e-15) << "20 ms / 10 ms";
  EXPECT_EQ(ledger_.arm(ArmIndex(0)).latency.all.count(), 1U);
  EXPECT_EQ(ledger_.arm(ArmIndex(0)).shadow_latency.all.count(), 1U);
  EXPECT_EQ(ledger_.arm(ArmIndex(1)).latency.all.count(), 0U);
}

TEST_F(LedgerComparisons, VisitBesideNewJudgementsIsIncompleteOnce) {
  const Qrels changed = Qrels::from_lines(std::vector<Qrels::Line>{
      {TopicId("t0"), Docno("a")}, {TopicId("t1"), Docno("a")}, {TopicId("t1"), Docno("b")}});
  const JudgedDocnos now(changed, judged_);
  record({.arm = 0, .visit = 1, .found = 1});
  record({.arm = 0, .visit = 2, .found = 1});
  record({.arm = 1, .visit = 2, .found = 1});
  const TopicIndex topics[] = {TopicIndex(0)};
  static_cast<void>(ledger_.rejudge(now, topics));
  record({.arm = 1, .visit = 1, .found = 0});
  record({.arm = 1, .visit = 2, .found = 0});
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 1U) << "arm 0 ranked by other judgements";
  EXPECT_EQ(ledger_.epoch().compared_visits, 1U);
}

TEST_F(LedgerComparisons, OpenComparisonsEndWithTheEpoch) {
  record({.arm = 0, .visit = 1});
  ledger_.begin_epoch(EpochReason::kArms);
  record({.arm = 1, .visit = 1});
  EXPECT_EQ(totals().topics(), 0U);
  EXPECT_EQ(ledger_.epoch().incomplete_visits, 1U);
}

}  // namespace
}  // namespace prescope
