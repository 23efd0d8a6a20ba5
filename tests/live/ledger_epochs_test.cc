#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "live/ledger/ledger.h"

namespace prescope {
namespace {

constexpr std::uint32_t kEpochDepth = 10;

/// Topics t0, t1, t2 with two relevant documents each; R@10 is 0, 1/2 or 1.
class LedgerEpochs : public ::testing::Test {
 protected:
  static Qrels three_topics() {
    std::vector<Qrels::Line> lines;
    for (const char* topic : {"t0", "t1", "t2"}) {
      for (const char* docno : {"a", "b"}) lines.push_back({TopicId(topic), Docno(docno)});
    }
    return Qrels::from_lines(lines);
  }

  Qrels qrels_ = three_topics();
  JudgedDocnos judged_{qrels_};
  Scorer scorer_{parse_measures("R@10")};

  struct Seen {
    std::uint32_t arm = 0, topic = 0;
    std::uint32_t found = 1;  ///< relevant documents
    std::uint64_t generation = 1;
    std::chrono::nanoseconds latency = std::chrono::milliseconds(2);
    RankingFlags flags = RankingFlags::kNone;
  };
  static void record(Ledger& ledger, const Seen& seen) {
    const JudgedHit hits[] = {{1, JudgementIndex(0)}, {2, JudgementIndex(1)}};
    ledger.record({.topic = TopicIndex(seen.topic),
                   .arm = ArmIndex(seen.arm),
                   .generation = seen.generation,
                   .latency = seen.latency,
                   .first_rank = 1,
                   .depth = kEpochDepth,
                   .num_ret = kEpochDepth,
                   .flags = seen.flags,
                   .hits = std::span(hits).first(seen.found)});
  }
  static const Score& score(const Ledger& ledger, std::uint32_t arm, std::uint32_t topic = 0) {
    return ledger.score(ArmIndex(arm), TopicIndex(topic), 0);
  }
  static const PairTotals& totals(Ledger& ledger) {
    ledger.settle();
    return ledger.pair(ArmIndex(1)).totals[0];
  }
  static TopicSums evidence(const Ledger& ledger) {
    return ledger.pair(ArmIndex(1)).evidence[0].at_low().sums();
  }
};

/// States of an index: the upper half of a generation names the index.
constexpr std::uint64_t kIndex = std::uint64_t{1} << 32U, kOtherIndex = std::uint64_t{2} << 32U;

TEST_F(LedgerEpochs, ANewerGenerationBeginsAnEpochForAllArmsOfTheIndex) {
  Ledger ledger(judged_, scorer_, 3);
  std::vector<std::uint64_t> ended;
  ledger.on_epoch_end = [&](const Ledger& before) {
    ended.push_back(before.epoch().observations);
    EXPECT_EQ(score(before, 0).visits, 1U) << "called before anything is dropped";
  };
  record(ledger, {.arm = 0, .generation = kIndex + 1});
  record(ledger, {.arm = 1, .generation = kIndex + 1});
  record(ledger, {.arm = 2, .generation = kOtherIndex + 1});
  record(ledger, {.arm = 0, .found = 2, .generation = kIndex + 2});
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(ledger.epoch().number, 2U);
  EXPECT_EQ(ledger.epoch().reason, EpochReason::kGeneration);
  EXPECT_EQ(score(ledger, 0).mean, 1.0) << "without what the old index gave";
  record(ledger, {.arm = 1, .generation = kIndex + 1});
  EXPECT_EQ(ledger.counts().late_observations, 1U) << "arm 1 has moved along with arm 0";
  EXPECT_EQ(score(ledger, 1).visits, 0U);
  EXPECT_EQ(ledger.arm(ArmIndex(1)).judged_queries, 2U) << "counted, in no score";
  record(ledger, {.arm = 2, .generation = kOtherIndex + 1});
  EXPECT_EQ(ledger.epoch().number, 2U) << "the other index is as it was";
  EXPECT_EQ(score(ledger, 2).visits, 1U);
}

TEST_F(LedgerEpochs, ArmAtAnOldGenerationIsLate) {
  Ledger ledger(judged_, scorer_, 2);
  for (const std::uint64_t generation : {1U, 2U, 3U}) record(ledger, {.generation = generation});
  record(ledger, {.arm = 1, .generation = 1});
  EXPECT_EQ(ledger.counts().late_observations, 1U);
  EXPECT_EQ(totals(ledger).topics(), 0U) << "no mix of generations";
  record(ledger, {.arm = 1, .generation = 3});
  EXPECT_EQ(ledger.epoch().number, 3U);
  EXPECT_EQ(totals(ledger).topics(), 1U);
}

TEST_F(LedgerEpochs, ConfigurationRuleAveragesTopicsOverGenerations) {
  Ledger ledger(judged_, scorer_, 2, {.epochs = EpochRule::kConfiguration});
  record(ledger, {.found = 2, .generation = 5});
  record(ledger, {.found = 0, .generation = 6});
  record(ledger, {.found = 2, .generation = 5});
  EXPECT_EQ(ledger.epoch().number, 1U);
  EXPECT_EQ(ledger.epoch().index_changes, 1U);
  EXPECT_EQ(ledger.counts().late_observations, 0U);
  EXPECT_DOUBLE_EQ(score(ledger, 0).mean, 2.0 / 3);
}

TEST_F(LedgerEpochs, RemovedArmComesBackAsNew) {
  Ledger ledger(judged_, scorer_, 2);
  record(ledger, {.arm = 1});
  ledger.remove_arm(ArmIndex(1));
  EXPECT_TRUE(ledger.arm(ArmIndex(1)).is_removed());
  record(ledger, {.arm = 1});
  EXPECT_EQ(ledger.counts().late_observations, 1U);
  ledger.restore_arm(ArmIndex(1));
  EXPECT_EQ(ledger.arm(ArmIndex(1)).judged_queries, 0U);
  record(ledger, {.arm = 1, .found = 2});
  EXPECT_EQ(score(ledger, 1).mean, 1.0);
  ledger.add_arm();
  EXPECT_EQ(ledger.num_arms(), 3U);
  EXPECT_EQ(ledger.epoch().number, 4U);
  EXPECT_EQ(ledger.epoch().reason, EpochReason::kArms);
}

TEST_F(LedgerEpochs, InObserveModeDifferencesFollowTheMeansAndAreNoEvidence) {
  Ledger ledger(judged_, scorer_, 2);
  record(ledger, {.arm = 0, .topic = 0, .found = 1});
  record(ledger, {.arm = 1, .topic = 0, .found = 2});  // +1/2
  record(ledger, {.arm = 0, .topic = 1, .found = 1});
  record(ledger, {.arm = 1, .topic = 1, .found = 1});  // 0
  record(ledger, {.arm = 0, .topic = 2, .found = 2});
  record(ledger, {.arm = 1, .topic = 2, .found = 0});  // -1
  EXPECT_EQ(totals(ledger).wins(), 1U);
  EXPECT_EQ(totals(ledger).ties(), 1U);
  EXPECT_EQ(totals(ledger).losses(), 1U);
  EXPECT_DOUBLE_EQ(totals(ledger).mean_difference(), -0.5 / 3);
  EXPECT_DOUBLE_EQ(totals(ledger).mean_a(), 2.0 / 3);
  record(ledger, {.arm = 0, .topic = 2, .found = 0});
  record(ledger, {.arm = 0, .topic = 2, .found = 0});
  record(ledger, {.arm = 1, .topic = 2, .found = 2});  // (0 + 1) / 2 - (1 + 0 + 0) / 3 = 1/6
  EXPECT_EQ(totals(ledger).wins(), 2U);
  EXPECT_EQ(totals(ledger).losses(), 0U);
  EXPECT_NEAR(totals(ledger).mean_difference(), (0.5 + 1.0 / 6) / 3, 1e-12);
  EXPECT_EQ(evidence(ledger).n(), 0U);
}

TEST_F(LedgerEpochs, SplitComparesTopicsWithTheirBaseline) {
  Ledger ledger(judged_, scorer_, 2,
                {.mode = Mode::kSplit, .baseline = {{TopicId("t2"), "R@10", 0.25}}});
  const auto difference = [&](std::uint32_t topic) {
    return ledger.difference(ArmIndex(1), TopicIndex(topic), 0).value().difference;
  };
  record(ledger, {.arm = 0, .topic = 0, .found = 2});  // 1, 0.5 was expected
  record(ledger, {.arm = 1, .topic = 1, .found = 1});  // 1/2, the mean so far is 1
  record(ledger, {.arm = 1, .topic = 2, .found = 1});  // 1/2, the baseline has 1/4
  EXPECT_EQ(difference(0), -0.5);
  EXPECT_EQ(difference(1), -0.5);
  EXPECT_EQ(difference(2), 0.25);
  record(ledger, {.arm = 1, .topic = 1, .found = 2});
  EXPECT_EQ(ledger.expected(TopicIndex(1), 0), 1.0) << "fixed at the first visit";
  EXPECT_EQ(difference(1), -0.25) << "3/4 - 1";
  EXPECT_EQ(evidence(ledger).n(), 3U);
  EXPECT_EQ(evidence(ledger).sum(), -0.5 - 0.5 + 0.25) << "of the first visits";
  EXPECT_EQ(ledger.arm(ArmIndex(0)).served.topics_seen, 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(1)).served.topics_seen, 2U);
}

TEST_F(LedgerEpochs, ALatencyBelowZeroIsUnknownAndCounted) {
  Ledger ledger(judged_, scorer_, 1);
  record(ledger, {.found = 2, .latency = std::chrono::nanoseconds(-1)});
  EXPECT_EQ(ledger.counts().clock_steps, 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).latency.all.count(), 0U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).served.topics[0].last_latency_ms, std::nullopt);
  EXPECT_EQ(score(ledger, 0).mean, 1.0) << "the ranking is as good as any";
}

TEST_F(LedgerEpochs, AFailedSearchIsCountedAndIsARankingWithoutHits) {
  Ledger ledger(judged_, scorer_, 1);
  record(ledger, {.found = 2});
  record(ledger, {.found = 0, .flags = RankingFlags::kFailed});
  record(ledger, {.found = 0, .flags = RankingFlags::kTimedOut});
  EXPECT_EQ(ledger.arm(ArmIndex(0)).failed_queries, 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).timed_out_queries, 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).judged_queries, 1U);
  EXPECT_EQ(score(ledger, 0).visits, 3U);
  EXPECT_NEAR(score(ledger, 0).mean, 1.0 / 3.0, 1e-15) << "1, and 0 twice";
}

}  // namespace
}  // namespace prescope
