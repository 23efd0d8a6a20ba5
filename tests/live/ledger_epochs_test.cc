#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
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
                   .requested_depth = kEpochDepth,
                   .num_ret = kEpochDepth,
                   .flags = seen.flags,
                   .hits = std::span(hits).first(seen.found)});
  }
  static const Ledger::Score& score(const Ledger& ledger, std::uint32_t arm,
                                    std::uint32_t topic = 0) {
    return ledger.score(ArmIndex(arm), TopicIndex(topic), 0);
  }
};

TEST_F(LedgerEpochs, AveragesATopicOverItsVisits) {
  Ledger ledger(judged_, scorer_, 2);
  for (const std::uint32_t found : {2U, 1U, 0U, 2U}) record(ledger, {.found = found});
  EXPECT_DOUBLE_EQ(score(ledger, 0).mean, (1.0 + 0.5 + 0.0 + 1.0) / 4);
  EXPECT_EQ(score(ledger, 0).last, 1.0);
  EXPECT_EQ(score(ledger, 0).visits, 4U);
  EXPECT_EQ(ledger.sums(ArmIndex(0)).measures[0].values.n(), 1U) << "one topic";
}

TEST_F(LedgerEpochs, ANewerGenerationBeginsAnEpochForAllArmsOfTheIndex) {
  Ledger ledger(judged_, scorer_, 3);
  std::vector<std::uint64_t> ended;
  ledger.on_epoch_end = [&](const Ledger& before) {
    ended.push_back(before.epoch().observations);
    EXPECT_EQ(score(before, 0).visits, 1U) << "called before anything is dropped";
  };
  record(ledger, {.arm = 0, .generation = 1});
  record(ledger, {.arm = 1, .generation = 1});
  record(ledger, {.arm = 2, .generation = 2});  // an index of its own
  record(ledger, {.arm = 0, .found = 2, .generation = 3});
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(ledger.epoch().number, 2U);
  EXPECT_EQ(ledger.epoch().reason, EpochReason::kGeneration);
  EXPECT_EQ(score(ledger, 0).mean, 1.0) << "without what the old index gave";
  record(ledger, {.arm = 1, .generation = 1});
  EXPECT_EQ(ledger.late_observations(), 1U) << "arm 1 has moved along with arm 0";
  EXPECT_EQ(score(ledger, 1).visits, 0U);
  EXPECT_EQ(ledger.arm(ArmIndex(1)).judged_queries, 2U) << "counted, in no score";
  record(ledger, {.arm = 2, .generation = 2});
  EXPECT_EQ(ledger.epoch().number, 2U) << "arm 2 stands where it stood";
  EXPECT_EQ(score(ledger, 2).visits, 1U);
}

TEST_F(LedgerEpochs, ArmAtAnOldGenerationIsLate) {
  Ledger ledger(judged_, scorer_, 2);
  for (const std::uint64_t generation : {1U, 2U, 3U}) record(ledger, {.generation = generation});
  record(ledger, {.arm = 1, .generation = 1});
  EXPECT_EQ(ledger.late_observations(), 1U);
  EXPECT_EQ(ledger.differences(ArmIndex(1), 0).sums.n(), 0U) << "no mix of generations";
  record(ledger, {.arm = 1, .generation = 3});
  EXPECT_EQ(ledger.epoch().number, 3U);
  EXPECT_EQ(ledger.differences(ArmIndex(1), 0).sums.n(), 1U);
}

TEST_F(LedgerEpochs, ConfigurationRuleAveragesTopicsOverGenerations) {
  Ledger ledger(judged_, scorer_, 2, {.epochs = EpochRule::kConfiguration});
  record(ledger, {.found = 2, .generation = 5});
  record(ledger, {.found = 0, .generation = 6});
  record(ledger, {.found = 2, .generation = 5});
  EXPECT_EQ(ledger.epoch().number, 1U);
  EXPECT_EQ(ledger.late_observations(), 0U);
  EXPECT_DOUBLE_EQ(score(ledger, 0).mean, 2.0 / 3);
}

TEST_F(LedgerEpochs, RemovedArmComesBackAsNew) {
  Ledger ledger(judged_, scorer_, 2);
  record(ledger, {.arm = 1});
  ledger.remove_arm(ArmIndex(1));
  EXPECT_TRUE(ledger.arm(ArmIndex(1)).is_removed());
  record(ledger, {.arm = 1});
  EXPECT_EQ(ledger.late_observations(), 1U);
  ledger.restore_arm(ArmIndex(1));
  EXPECT_EQ(ledger.arm(ArmIndex(1)).judged_queries, 0U);
  record(ledger, {.arm = 1, .found = 2});
  EXPECT_EQ(score(ledger, 1).mean, 1.0);
  ledger.add_arm();
  EXPECT_EQ(ledger.num_arms(), 3U);
  EXPECT_EQ(ledger.epoch().number, 4U);
  EXPECT_EQ(ledger.epoch().reason, EpochReason::kArms);
}

TEST_F(LedgerEpochs, DifferencesFollowTheMeansOfBothArms) {
  Ledger ledger(judged_, scorer_, 2);
  record(ledger, {.arm = 0, .topic = 0, .found = 1});
  record(ledger, {.arm = 1, .topic = 0, .found = 2});  // +1/2
  record(ledger, {.arm = 0, .topic = 1, .found = 1});
  record(ledger, {.arm = 1, .topic = 1, .found = 1});  // 0
  record(ledger, {.arm = 0, .topic = 2, .found = 2});
  record(ledger, {.arm = 1, .topic = 2, .found = 0});  // -1
  Ledger::Differences measure = ledger.differences(ArmIndex(1), 0);
  EXPECT_EQ(measure.wins, 1U);
  EXPECT_EQ(measure.ties, 1U);
  EXPECT_EQ(measure.losses, 1U);
  EXPECT_DOUBLE_EQ(measure.sums.sum(), -0.5);
  EXPECT_DOUBLE_EQ(measure.sums.squares(), 0.25 + 0.0 + 1.0);
  record(ledger, {.arm = 0, .topic = 2, .found = 0});
  record(ledger, {.arm = 0, .topic = 2, .found = 0});
  record(ledger, {.arm = 1, .topic = 2, .found = 2});  // (0 + 1) / 2 - (1 + 0 + 0) / 3 = 1/6
  measure = ledger.differences(ArmIndex(1), 0);
  EXPECT_EQ(measure.wins, 2U);
  EXPECT_EQ(measure.losses, 0U);
  EXPECT_NEAR(measure.sums.sum(), 0.5 + 1.0 / 6, 1e-12);
}

TEST_F(LedgerEpochs, SplitComparesTopicsWithTheirBaseline) {
  Ledger ledger(judged_, scorer_, 2,
                {.mode = Mode::kSplit, .baseline = {{TopicId("t2"), "R@10", 0.25}}});
  record(ledger, {.arm = 0, .topic = 0, .found = 2});  // 1, 0.5 was expected
  record(ledger, {.arm = 1, .topic = 1, .found = 1});  // 1/2, the mean so far is 1
  record(ledger, {.arm = 1, .topic = 2, .found = 1});  // 1/2, the baseline has 1/4
  EXPECT_EQ(ledger.difference(ArmIndex(1), TopicIndex(0), 0), -0.5);
  EXPECT_EQ(ledger.difference(ArmIndex(1), TopicIndex(1), 0), -0.5);
  EXPECT_EQ(ledger.difference(ArmIndex(1), TopicIndex(2), 0), 0.25);
  record(ledger, {.arm = 1, .topic = 1, .found = 2});
  EXPECT_EQ(ledger.expected(TopicIndex(1), 0), 1.0) << "fixed at the first visit";
  EXPECT_EQ(ledger.difference(ArmIndex(1), TopicIndex(1), 0), -0.25) << "3/4 - 1";
  EXPECT_EQ(ledger.sums(ArmIndex(0)).topics_seen, 1U);
  EXPECT_EQ(ledger.sums(ArmIndex(1)).topics_seen, 2U);
}

TEST_F(LedgerEpochs, InPairedModeArmsAreTimedByTheirShadowsOnly) {
  using std::chrono::milliseconds;
  Ledger ledger(judged_, scorer_, 2, {.mode = Mode::kPaired});
  record(ledger, {.arm = 0, .latency = milliseconds(50)});
  record(ledger, {.arm = 0, .latency = milliseconds(10), .flags = RankingFlags::kShadow});
  record(ledger, {.arm = 1, .latency = milliseconds(20), .flags = RankingFlags::kShadow});
  const TopicSums ratio = ledger.log_latency_ratios(ArmIndex(1)).sums;
  EXPECT_EQ(ratio.n(), 1U);
  EXPECT_NEAR(ratio.sum(), std::log(2.0), 1e-15) << "20 ms / 10 ms";
  EXPECT_EQ(ledger.arm(ArmIndex(0)).latency.count(), 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).shadow_latency.count(), 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(1)).latency.count(), 0U);
}

TEST_F(LedgerEpochs, ALatencyBelowZeroIsUnknownAndCounted) {
  Ledger ledger(judged_, scorer_, 1);
  record(ledger, {.found = 2, .latency = std::chrono::nanoseconds(-1)});
  EXPECT_EQ(ledger.clock_steps(), 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).latency.count(), 0U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).topics[0].timed_visits, 0U);
  EXPECT_EQ(score(ledger, 0).mean, 1.0) << "the ranking is as good as any";
}

TEST_F(LedgerEpochs, AFailedSearchIsCountedAndChangesNoScore) {
  Ledger ledger(judged_, scorer_, 1);
  record(ledger, {.found = 2});
  record(ledger, {.found = 0, .flags = RankingFlags::kFailed});
  record(ledger, {.found = 0, .flags = RankingFlags::kTimedOut});
  EXPECT_EQ(ledger.arm(ArmIndex(0)).failed_queries, 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).timed_out_queries, 1U);
  EXPECT_EQ(ledger.arm(ArmIndex(0)).judged_queries, 1U);
  EXPECT_EQ(score(ledger, 0).visits, 1U);
}

}  // namespace
}  // namespace prescope
