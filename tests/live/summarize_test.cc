// Summaries of small ledgers, worked by hand.
#include "live/summary/summarize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "statistics/evidence.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kRelevantOfEach = 4;
constexpr std::uint32_t kServedDepth = 100;

/// Topics T00, T01 and so on with 4 relevant documents each, and one without any.
class SummarizeTest : public ::testing::Test {
 protected:
  explicit SummarizeTest(std::uint32_t topics = 12, std::string_view measures = "R@100",
                         LedgerOptions options = {}, std::uint32_t num_arms = 2)
      : qrels_(qrels_of(topics)),
        scorer_(parse_measures(measures)),
        ledger_(judged_, scorer_, num_arms, std::move(options)) {
    for (std::uint32_t a = 0; a < num_arms; ++a)
      arms_.push_back({.id = ArmId(fmt::format("{}", a))});
  }

  static Qrels qrels_of(std::uint32_t topics) {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < topics; ++t) {
      for (std::uint32_t j = 0; j < kRelevantOfEach; ++j) {
        lines.push_back({TopicId(fmt::format("T{:02}", t)), Docno(fmt::format("{}-{}", t, j)), 1});
      }
    }
    lines.push_back({TopicId("nothing relevant"), Docno("x"), 0});
    return Qrels::from_lines(lines);
  }

  /// R@100 of the visit is found / 4.
  void serve(std::uint32_t arm, std::uint32_t topic, std::uint32_t found,
             milliseconds latency = milliseconds(10)) {
    record({.topic = TopicIndex(topic), .arm = ArmIndex(arm), .latency = latency}, found);
  }
  /// A visit without a ranking.
  void serve_flagged(std::uint32_t arm, std::uint32_t topic, RankingFlags flag) {
    ledger_.record({.topic = TopicIndex(topic), .arm = ArmIndex(arm), .flags = flag});
  }
  /// The same of a visit that all arms rank for comparison; `found` by arm.
  void compare(std::uint32_t topic, const std::vector<std::uint32_t>& found) {
    ++visits_;
    for (std::uint32_t arm = 0; arm < found.size(); ++arm) {
      record({.topic = TopicIndex(topic),
              .arm = ArmIndex(arm),
              .visit = visits_,
              .compared_arms = static_cast<std::uint32_t>(found.size()),
              .latency = milliseconds(10 * (arm + 1))},
             found[arm]);
    }
  }

  [[nodiscard]] SummaryFacts facts() const {
    return {.experiment = "e", .alpha = 0.06, .arms = arms_};
  }
  [[nodiscard]] Summary summary(SummaryDetail detail = SummaryDetail::kEveryTopic) {
    return summarize(ledger_, facts(), detail);
  }

  Qrels qrels_;
  JudgedDocnos judged_{qrels_};
  Scorer scorer_;
  Ledger ledger_;
  std::vector<ArmFacts> arms_;

 private:
  void record(Observation observation, std::uint32_t found) {
    std::vector<JudgedHit> hits;
    for (std::uint32_t j = 0; j < found; ++j) hits.push_back({j + 1, JudgementIndex(j)});
    observation.generation = 1;
    observation.depth = observation.num_ret = kServedDepth;
    observation.hits = hits;
    ledger_.record(observation);
  }
  std::uint64_t visits_ = 0;
};

TEST_F(SummarizeTest, MeansAreOverTopicsSeenAndOverAll) {
  serve(0, 0, 4);
  serve(0, 1, 2);
  serve(0, 1, 4);  // mean of the topic: 3 / 4
  const Summary now = summary();
  EXPECT_EQ(now.topics, 13U);
  EXPECT_EQ(now.topics_without_relevant, 1U);
  const MeasureMean& mean = now.arms[0].means[0];
  EXPECT_EQ(mean.topics, 2U);
  EXPECT_DOUBLE_EQ(mean.mean.value(), (1.0 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(mean.mean_over_all.value(), (1.0 + 0.75) / 12);  // of 12 with relevant documents
  EXPECT_FALSE(now.arms[1].means[0].mean);
  EXPECT_EQ(now.arms[1].means[0].mean_over_all, 0.0);
}

TEST_F(SummarizeTest, DriftIsTheLastVisitAgainstTheOthers) {
  for (const std::uint32_t found : {2U, 4U, 2U}) serve(0, 0, found);  // 0.5 after a mean of 0.75
  for (const std::uint32_t found : {4U, 2U}) serve(0, 3, found);      // 0.5 after 1
  for (const std::uint32_t found : {3U, 3U}) serve(0, 5, found);
  serve(0, 6, 1);
  const Drift drift = summary().arms[0].means[0].drift;
  EXPECT_EQ(drift.revisited, 3U);
  EXPECT_EQ(drift.changed, 2U);
  EXPECT_NEAR(drift.mean_change, (0.25 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(drift.largest, 0.5, 1e-12);
  EXPECT_EQ(drift.topic, TopicId("T00")) << "1 after 0.5, before T03 changed as much";
  EXPECT_EQ(summary().arms[1].means[0].drift.revisited, 0U);
}

TEST_F(SummarizeTest, OwnTimeIsSummedOverQueries) {
  for (int us = 1; us <= 4; ++us) {
    ledger_.record(
        {.topic = TopicIndex(0), .arm = ArmIndex(0), .self_time = std::chrono::microseconds(us)});
  }
  ledger_.record({.arm = ArmIndex(0), .self_time = std::chrono::nanoseconds(50)});
  const ArmSummary arm = summary().arms[0];
  EXPECT_EQ(arm.self_count, 4U);
  EXPECT_NEAR(arm.self_sum_us, 10.0, 0.1);
  EXPECT_EQ(arm.unjudged_self_count, 1U);
  EXPECT_NEAR(arm.unjudged_self_sum_us, 0.05, 0.0005);
}

TEST_F(SummarizeTest, GenerationIsThatOfTheLastResolvedIndex) {
  const ResolvedQrels table(judged_, {}, 7, 1000);
  arms_[1].resolved = &table;
  EXPECT_EQ(summary().arms[1].generation, 7U);
  EXPECT_FALSE(summary().arms[0].generation);
}

TEST_F(SummarizeTest, QueriesThatFailedAreTheSlowest) {
  for (int ms = 1; ms <= 99; ++ms) {
    ledger_.record({.arm = ArmIndex(0), .latency = milliseconds(ms)});
  }
  ledger_.record({.arm = ArmIndex(0), .flags = RankingFlags::kFailed});
  ledger_.record({.arm = ArmIndex(0), .flags = RankingFlags::kTimedOut});
  const ArmSummary arm = summary().arms[0];
  EXPECT_EQ(arm.failed_queries, 1U);
  EXPECT_EQ(arm.timed_out_queries, 1U);
  EXPECT_EQ(arm.latency.count, 101U);
  EXPECT_NEAR(arm.latency.p50.ms.value(), 51.0, 0.51);  // rank floor(0.5 * 100) + 1
  EXPECT_NEAR(arm.latency.p95.ms.value(), 96.0, 0.96);
  EXPECT_EQ(arm.latency.p99.ms, std::numeric_limits<double>::infinity());  // rank 100, of 99 timed
  EXPECT_EQ(arm.latency.max_ms, 99.0);
  EXPECT_NEAR(arm.latency.sum_ms, 4950.0, 49.5) << "1 + ... + 99; those that failed took none";
  ASSERT_FALSE(arm.latency.buckets.empty());
  EXPECT_EQ(arm.latency.buckets.back().at_most_ms, std::numeric_limits<double>::infinity());
  EXPECT_EQ(arm.latency.buckets.back().count, 2U);
  std::uint64_t up_to_50_ms = 0;  // whose bucket ends at gamma^196 = 50.41 ms
  for (const LatencyBucket& bucket : arm.latency.buckets) {
    up_to_50_ms += bucket.at_most_ms < 50.5 ? bucket.count : 0;
  }
  EXPECT_EQ(up_to_50_ms, 50U);
  EXPECT_FALSE(arm.latency.p50.low_ms) << "each query was slower than the one before";
  EXPECT_FALSE(summary().arms[1].latency.p50.ms);
}

TEST_F(SummarizeTest, QuantilesOfIndependentQueriesHaveIntervals) {
  int ms = 1;
  for (int i = 0; i < 4096; ++i) {
    // 1 to 100 ms in an order without a pattern: 2 is a primitive root modulo 101.
    ms = ms * 2 % 101;
    ledger_.record({.arm = ArmIndex(0), .latency = milliseconds(ms)});
  }
  const LatencyQuantile p50 = summary().arms[0].latency.p50;
  ASSERT_TRUE(p50.low_ms && p50.high_ms);
  EXPECT_LT(*p50.low_ms, 51.0);
  EXPECT_GT(*p50.high_ms, 50.0);
  EXPECT_GT(*p50.low_ms, 40.0);
  EXPECT_LT(*p50.high_ms, 60.0);
}

TEST_F(SummarizeTest, WorstTopicsAreTheFiveLargestLosses) {
  const std::uint32_t lost[] = {1, 3, 0, 2, 1, 4, 2, 0, 1};
  for (std::uint32_t t = 0; t < std::size(lost); ++t) {
    serve(0, t, 4);
    serve(1, t, 4 - lost[t]);
  }
  serve(0, 9, 0);
  serve(1, 9, 4);  // a win
  const MeasureDifference difference = summary().pairs.at(0).differences.at(0);
  EXPECT_EQ(difference.topics, 10U);
  EXPECT_EQ(difference.losses, 7U);
  EXPECT_EQ(difference.ties, 2U);
  EXPECT_EQ(difference.wins, 1U);
  ASSERT_EQ(difference.worst.size(), 5U);
  // 4, 3, 2 and 2, then the first of three that lost 1.
  const char* const names[] = {"T05", "T01", "T03", "T06", "T00"};
  const double losses[] = {1.0, 0.75, 0.5, 0.5, 0.25};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(difference.worst[i].topic, TopicId(names[i]));
    EXPECT_EQ(difference.worst[i].difference, -losses[i]);
    EXPECT_EQ(difference.worst[i].a, 1.0);
    EXPECT_EQ(difference.worst[i].b, 1.0 - losses[i]);
  }
}

TEST_F(SummarizeTest, ObserveModeHasNoVerdict) {
  for (std::uint32_t t = 0; t < 12; ++t) {
    serve(0, t, 0);
    serve(1, t, 4);
  }
  const MeasureDifference difference = summary().pairs.at(0).differences.at(0);
  EXPECT_EQ(difference.mean, 1.0);
  EXPECT_EQ(difference.wins, 12U);
  EXPECT_FALSE(difference.live);
}

TEST_F(SummarizeTest, VerdictDetailHasNoTopics) {
  serve(0, 0, 4);
  serve(1, 0, 2);
  EXPECT_EQ(summary().rows.size(), 1U);
  const Summary verdicts = summary(SummaryDetail::kVerdicts);
  EXPECT_EQ(verdicts.detail, SummaryDetail::kVerdicts);
  EXPECT_TRUE(verdicts.rows.empty());
  EXPECT_TRUE(verdicts.pairs.at(0).moves.empty());
  EXPECT_EQ(verdicts.pairs[0].differences[0].mean, -0.5);
}

TEST_F(SummarizeTest, RowsHaveTheLastScoreAndTheMean) {
  serve(0, 2, 4);
  serve(0, 2, 1);
  const TopicRow::Arm row = summary().rows.at(0).arms.at(0);
  EXPECT_EQ(row.visits, 2U);
  EXPECT_EQ(row.scores, std::vector{std::optional(0.25)});
  EXPECT_EQ(row.means, std::vector{std::optional(0.625)});
  EXPECT_EQ(row.relevant_ranks, std::vector<Rank>{1});
}

class SummarizeGeometric : public SummarizeTest {
 protected:
  SummarizeGeometric() : SummarizeTest(12, "GMAP@100", {}) {}
};

// AP of 0.5 in 12 topics has a lower mean than 1 in 11 and 0 in one, but the higher geometric mean.
TEST_F(SummarizeGeometric, MeansAreNotComparedByTheMeanDifference) {
  for (std::uint32_t t = 0; t < 12; ++t) {
    serve(0, t, 2, milliseconds(10));
    serve(1, t, t == 0 ? 0 : 4, milliseconds(10));
  }
  const Summary made = summary();
  EXPECT_GT(made.arms[0].means[0].mean, made.arms[1].means[0].mean);
  const MeasureDifference& difference = made.pairs.at(0).differences.at(0);
  EXPECT_EQ(difference.wins, 11U);
  EXPECT_EQ(difference.mean, std::nullopt);
}

class SummarizePairedGeometric : public SummarizeTest {
 protected:
  SummarizePairedGeometric() : SummarizeTest(12, "GMAP@100", {.mode = Mode::kPaired}) {}
};

// The same scores, but of pairs: evidence of AP would say that the worse arm is better.
TEST_F(SummarizePairedGeometric, HaveNoEvidence) {
  for (std::uint32_t t = 0; t < 12; ++t) compare(t, {2, t == 0 ? 0U : 4U});
  const MeasureDifference difference = summary().pairs.at(0).differences.at(0);
  EXPECT_EQ(difference.topics, 12U);
  EXPECT_EQ(difference.wins, 11U);
  EXPECT_EQ(difference.mean, std::nullopt);
  EXPECT_EQ(difference.mean_a, std::nullopt);
  EXPECT_FALSE(difference.live);
}

class SummarizePaired : public SummarizeTest {
 protected:
  SummarizePaired() : SummarizeTest(12, "R@100,AP@100", {.mode = Mode::kPaired}) {}
};

TEST_F(SummarizePaired, EvidenceIsOfFirstVisitsAndTheMeanOfAll) {
  for (std::uint32_t t = 0; t < 12; ++t) {
    compare(t, {0, 4});
    for (int again = 0; again < 3; ++again) compare(t, {4, 4});
  }
  const MeasureDifference difference = summary().pairs.at(0).differences.at(0);
  EXPECT_EQ(difference.topics, 12U) << "not the 48 visits";
  EXPECT_EQ(difference.mean, 0.25);
  EXPECT_EQ(difference.mean_a, 0.75);
  EXPECT_EQ(difference.mean_b, 1.0);
  const LiveVerdict live = difference.live.value();
  EXPECT_EQ(live.topics, 12U);
  EXPECT_EQ(live.mean, 1.0);
  EXPECT_EQ(live.state, LiveState::kConfirmed);
  EXPECT_EQ(live.log_e, ConfidenceSequence().log_e_value(TopicSums(12, 12.0, 12.0)));
  EXPECT_EQ(live.high, 1.0);
  EXPECT_GT(live.low, 0.0);
  const MeasureDifference other = summary().pairs.at(0).differences.at(1);
  EXPECT_EQ(other.live.value().state, LiveState::kDescribed) << "not the primary measure";
  EXPECT_EQ(other.live->mean, 1.0);
}

TEST_F(SummarizePaired, ServedMeansAreApartFromComparedOnes) {
  compare(0, {2, 4});
  serve(0, 0, 2);
  serve(0, 1, 4);
  const Summary now = summary();
  const ArmSummary& arm = now.arms[0];
  EXPECT_EQ(arm.means.at(0).mean, 0.5);
  EXPECT_EQ(arm.means[0].topics, 1U);
  EXPECT_EQ(arm.served_means.at(0).mean, 0.75) << "2/4 and 4/4";
  EXPECT_EQ(arm.topics_seen, 1U) << "by comparison";
  EXPECT_EQ(now.epoch.compared_visits, 1U);
  EXPECT_EQ(now.pairs.at(0).latency.pairs, 1U);
  EXPECT_NEAR(now.pairs[0].latency.mean.value(), 2.0, 1e-12) << "20 ms / 10 ms";
}

TEST_F(SummarizePaired, AnArmIsFasterOnlyIfItsUntimedVisitsCannotTurnIt) {
  std::uint64_t visit = 10'000;
  const auto compare_without_a_time = [&](ArmIndex untimed, RankingFlags flag) {
    ++visit;
    for (const ArmIndex arm : {ArmIndex(0), ArmIndex(1)}) {
      ledger_.record({.topic = TopicIndex(0),
                      .arm = arm,
                      .visit = visit,
                      .compared_arms = 2,
                      .latency = milliseconds(10),
                      .flags = arm == untimed ? flag : RankingFlags::kNone});
    }
  };
  const auto ratio = [&] { return summary().pairs.at(0).latency; };
  const auto compare_visits = [&](std::uint32_t visits) {
    for (std::uint32_t i = 0; i < visits; ++i) compare(i % 12, {4, 4});  // 10 ms and 20 ms
  };
  compare_visits(511);
  EXPECT_EQ(ratio().state, LatencyState::kCollecting);
  compare_visits(1);
  EXPECT_EQ(ratio().state, LatencyState::kFaster);
  EXPECT_TRUE(ratio().differs);
  EXPECT_NEAR(ratio().least.value(), 2.0, 1e-12);
  // As many visits without a time in A, each of which may have been twice as slow in A.
  for (int i = 0; i < 512; ++i) {
    const RankingFlags flags[] = {RankingFlags::kTimedOut, RankingFlags::kFailed,
                                  RankingFlags::kRetried, RankingFlags::kUntimed};
    compare_without_a_time(ArmIndex(0), flags[i % 4]);
  }
  EXPECT_FALSE(ratio().differs);
  EXPECT_EQ(ratio().pairs, 512U);
  EXPECT_EQ(ratio().failed_a, 256U);
  EXPECT_EQ(ratio().untimed_a, 256U);
  EXPECT_EQ(ratio().failed_b + ratio().untimed_b, 0U);
  EXPECT_NEAR(ratio().least.value(), 1.0, 1e-12) << "512 times 2, 512 times 1/2";
  EXPECT_NEAR(ratio().most.value(), 2.0, 1e-12);
}

TEST_F(SummarizePaired, PastEpochKeepsItsLastDifferences) {
  for (std::uint32_t t = 0; t < 10; ++t) compare(t, {t % 4, 4});
  PastEpoch past;
  ledger_.on_epoch_end = [&](const Ledger& ledger) { past = past_epoch(ledger, facts()); };
  const MeasureDifference before = summary().pairs.at(0).differences.at(0);
  ledger_.begin_epoch(EpochReason::kArms);
  ASSERT_EQ(past.differences.size(), 2U) << "measures";
  EXPECT_EQ(past.epoch.number, 1U);
  EXPECT_EQ(past.epoch.observations, 20U);
  EXPECT_EQ(past.epoch.compared_visits, 10U);
  EXPECT_EQ(past.differences[0].b, ArmIndex(1));
  EXPECT_EQ(past.differences[0].topics, 10U);
  EXPECT_EQ(past.differences[0].mean, before.mean);
  EXPECT_EQ(past.differences[0].live.value().log_e_better, before.live.value().log_e_better);
  EXPECT_EQ(past.differences[0].live->state, before.live->state);
  const Summary now = summary();
  EXPECT_EQ(now.epoch.number, 2U);
  EXPECT_EQ(now.epoch.reason, EpochReason::kArms);
  EXPECT_EQ(now.pairs.at(0).differences.at(0).topics, 0U);
  EXPECT_EQ(now.pairs[0].differences[0].live.value().state, LiveState::kCollecting);
}

class SummarizeThreeArms : public SummarizeTest {
 protected:
  SummarizeThreeArms() : SummarizeTest(2, "R@100,AP@100,GMAP", {}, 3) {}
};

class SummarizeThreePairedArms : public SummarizeTest {
 protected:
  SummarizeThreePairedArms()
      : SummarizeTest(2, "R@100,AP@100,RR", {.mode = Mode::kPaired, .primary = 1}, 3) {}
};

TEST_F(SummarizeThreePairedArms, PairsShareTheAlphaOfThePrimaryMeasure) {
  const Summary now = summary(SummaryDetail::kVerdicts);
  EXPECT_EQ(now.primary, 1U);
  ASSERT_EQ(now.pairs.size(), 2U);
  for (const ArmPair& pair : now.pairs) {
    EXPECT_NEAR(pair.differences[1].live.value().alpha, 0.06 / 2, 1e-15);
    for (const std::size_t other : {0U, 2U}) {
      EXPECT_NEAR(pair.differences[other].live.value().alpha, 0.06, 1e-15);
      EXPECT_EQ(pair.differences[other].live->state, LiveState::kDescribed);
    }
  }
}

TEST_F(SummarizeThreeArms, ARemovedArmIsInNoPair) {
  serve(1, 0, 3);
  ledger_.remove_arm(ArmIndex(1));
  arms_[1].status = ArmStatus::kRemoved;
  serve(0, 0, 4);
  serve(2, 0, 2);
  const Summary now = summary();
  ASSERT_EQ(now.pairs.size(), 1U);
  EXPECT_EQ(now.pairs[0].b, ArmIndex(2));
  EXPECT_EQ(now.arms[1].status, ArmStatus::kRemoved);
  EXPECT_EQ(now.arms[1].topics_seen, 0U);
  EXPECT_FALSE(now.rows.at(0).arms.at(1).seen);
}

TEST_F(SummarizeThreeArms, GeometricMeanAveragesLogarithms) {
  serve(0, 0, 4);  // AP 1
  serve(0, 1, 1);  // AP 1 / 4
  const MeasureMean mean = summary().arms[0].means[2];
  EXPECT_NEAR(mean.mean.value(), 0.5, 1e-12);  // the root of 1 * 1 / 4
  serve(1, 0, 4);
  // The topic that is missing counts as 1e-5, trec_eval's least score of a geometric mean.
  EXPECT_NEAR(summary().arms[1].means[2].mean_over_all.value(), std::sqrt(1e-5), 1e-12);
}

class SummarizeSplit : public SummarizeTest {
 protected:
  SummarizeSplit() : SummarizeTest(70, "R@100", {.mode = Mode::kSplit, .baseline = baseline()}) {}

  static std::vector<BaselineScore> baseline() {
    std::vector<BaselineScore> scores;
    for (int t = 0; t < 70; ++t)
      scores.push_back({TopicId(fmt::format("T{:02}", t)), "R@100", 0.5});
    return scores;
  }
};

TEST_F(SummarizeSplit, DifferenceIsTwiceTheMeanAboveTheBaseline) {
  for (std::uint32_t t = 0; t < 20; ++t) serve(t % 2, t, t % 2 == 0 ? 2 : 3);
  // A topics are at their baseline, B topics 0.25 above: 10 of 20 values are 0.25.
  const ArmPair pair = summary().pairs.at(0);
  const MeasureDifference& difference = pair.differences.at(0);
  EXPECT_EQ(difference.topics, 20U);
  EXPECT_NEAR(difference.mean.value(), 0.25, 1e-12);  // 2 * 0.125
  EXPECT_FALSE(difference.mean_a);
  EXPECT_EQ(difference.wins + difference.ties + difference.losses, 0U);
  EXPECT_TRUE(difference.worst.empty());
  const ConfidenceSequence sequence{.alpha = 0.06, .b_squared = 0.5};
  EXPECT_NEAR(difference.live.value().mean.value(), 0.25, 1e-12);
  EXPECT_NEAR(difference.live->log_e, sequence.log_e_value(TopicSums(20, 2.5, 0.625)), 1e-12);
  EXPECT_FALSE(pair.latency.mean);
  ASSERT_TRUE(pair.sample_ratio);
  EXPECT_EQ(pair.sample_ratio->topics_a, 10U);
  EXPECT_EQ(pair.sample_ratio->topics_b, 10U);
  EXPECT_LT(pair.sample_ratio->log_e, 0.0);
  EXPECT_FALSE(pair.sample_ratio->alarm);
}

// An arm that collapses the hits of its hardest 20 % was "better" in 11 % of experiments.
TEST_F(SummarizeSplit, TopicsThatOneArmAloneLeavesOutMayHaveAnyValue) {
  for (std::uint32_t t = 0; t < 30; ++t) serve(t % 2, t, 2);  // at the baseline: 30 values of 0
  serve_flagged(0, 40, RankingFlags::kSorted);
  for (std::uint32_t t = 50; t < 55; ++t) serve_flagged(1, t, RankingFlags::kSorted);
  serve_flagged(1, 50, RankingFlags::kSorted);
  serve_flagged(1, 1, RankingFlags::kSorted);  // it had a value before
  const LiveVerdict live = summary().pairs.at(0).differences.at(0).live.value();
  EXPECT_EQ(live.topics, 34U) << "B lacks 4 topics more than A";
  EXPECT_EQ(live.bounded_topics, 4U);
  // Each may be 0.5 from the mean of 0.5, of 34 topics; the difference is twice the mean.
  EXPECT_NEAR(live.mean_low.value(), -2.0 * 4 * 0.5 / 34, 1e-12);
  EXPECT_NEAR(live.mean_high.value(), 2.0 * 4 * 0.5 / 34, 1e-12);
}

TEST_F(SummarizeSplit, OneSidedAssignmentRaisesTheAlarm) {
  for (std::uint32_t t = 0; t < 70; ++t) serve(0, t, 2);
  // ln of B(170, 100) / B(100, 100) * 2^70, with gamma functions.
  const double log_e = std::lgamma(170.0) - std::lgamma(270.0) - std::lgamma(100.0) +
                       std::lgamma(200.0) + 70.0 * std::log(2.0);
  const std::optional<SampleRatio> ratio = summary().pairs.at(0).sample_ratio;
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->log_e, log_e, 1e-9);
  EXPECT_GT(log_e, std::log(1000.0));
  EXPECT_TRUE(ratio->alarm);
}

TEST_F(SummarizeSplit, AlarmWithholdsTheVerdict) {
  for (std::uint32_t t = 0; t < 69; ++t) serve(0, t, 4);  // 0.5 above the baseline
  serve(1, 69, 2);
  const ArmPair pair = summary().pairs.at(0);
  EXPECT_TRUE(pair.sample_ratio.value().alarm);
  const LiveVerdict live = pair.differences.at(0).live.value();
  EXPECT_EQ(live.topics, 70U);
  EXPECT_LT(live.high, 0.0) << "as if A were better";
  EXPECT_EQ(live.state, LiveState::kVetoed);
  EXPECT_EQ(past_epoch(ledger_, facts()).differences.at(0).live.value().state, LiveState::kVetoed);
}

/// 61 topics of one arm are evidence of 1000 (ln 7.09); nobody looks before the numbers are even.
TEST_F(SummarizeSplit, AlarmStaysForTheEpoch) {
  for (const std::uint32_t arm : {0U, 1U}) {
    for (std::uint32_t t = 0; t < 61; ++t) serve(arm, t, 2);
  }
  const ArmPair pair = summary().pairs.at(0);
  EXPECT_LT(pair.sample_ratio.value().log_e, 0.0);
  EXPECT_TRUE(pair.sample_ratio->alarm);
  EXPECT_EQ(pair.differences.at(0).live.value().state, LiveState::kVetoed);
  ledger_.begin_epoch(EpochReason::kArms);
  EXPECT_FALSE(summary().pairs.at(0).sample_ratio.value().alarm);
}

/// Both arms served 61 topics. Those of B have no value, because nobody saw the answers.
TEST_F(SummarizeSplit, CoinIsTestedOnTopicsWithAValue) {
  for (std::uint32_t t = 0; t < 61; ++t) {
    serve(0, t, 2);
    serve_flagged(1, t, RankingFlags::kUnseen);
  }
  const SampleRatio ratio = summary().pairs.at(0).sample_ratio.value();
  EXPECT_EQ(ratio.seen_a, 61U);
  EXPECT_EQ(ratio.seen_b, 61U);
  EXPECT_EQ(ratio.topics_a, 61U);
  EXPECT_EQ(ratio.topics_b, 0U);
  EXPECT_TRUE(ratio.alarm);
  // 2 * 2^-61: all of 61 on one side.
  EXPECT_NEAR(ratio.p / std::exp2(-60.0), 1.0, 1e-9);
}

TEST_F(SummarizeSplit, NoDifferenceToAnArmWithoutTopics) {
  for (std::uint32_t t = 0; t < 30; ++t) serve(0, t, 4);
  const MeasureDifference difference = summary().pairs.at(0).differences.at(0);
  EXPECT_FALSE(difference.mean);
  EXPECT_EQ(difference.live.value().topics, 0U);
}

/// Ten topics of each arm, all won by A.
TEST_F(SummarizeSplit, FailuresAndUnseenAnswersVeto) {
  const struct {
    RankingFlags flag;
    CheckKind kind;
    std::uint32_t b;  ///< of B's ten topics
    CheckState state;
  } kCases[] = {
      {RankingFlags::kFailed, CheckKind::kFailures, 10, CheckState::kVeto},
      {RankingFlags::kTimedOut, CheckKind::kFailures, 5, CheckState::kVeto},
      {RankingFlags::kFailed, CheckKind::kFailures, 0, CheckState::kFine},
      {RankingFlags::kUnseen, CheckKind::kUnseen, 5, CheckState::kVeto},
      {RankingFlags::kUnseen, CheckKind::kUnseen, 0, CheckState::kFine},
  };
  for (const auto& one : kCases) {
    ledger_.begin_epoch(EpochReason::kArms);
    for (std::uint32_t t = 0; t < 20; ++t) {
      if (t < 10) {
        serve(0, t, 4);
      } else if (t < 10 + one.b) {
        serve_flagged(1, t, one.flag);
      } else {
        serve(1, t, 1);
      }
    }
    const ArmPair pair = summary().pairs.at(0);
    const auto check = std::ranges::find(pair.checks, one.kind, &Check::kind);
    ASSERT_NE(check, pair.checks.end());
    EXPECT_EQ(check->a.count, 0U);
    EXPECT_EQ(check->a.of, 10U);
    EXPECT_EQ(check->b.value().count, one.b);
    EXPECT_EQ(check->b->of, 10U);
    EXPECT_EQ(check->state, one.state);
    EXPECT_EQ(pair.differences.at(0).live.value().state == LiveState::kVetoed,
              one.state == CheckState::kVeto);
  }
}

// The topics of the other arm alone would be taken for a difference.
TEST_F(SummarizeSplit, ArmsAreNotComparedWhileOneIsPaused) {
  for (std::uint32_t t = 0; t < 70; ++t) serve(0, t, 4);
  for (const std::size_t paused : {0U, 1U}) {
    for (ArmFacts& arm : arms_) arm.status = ArmStatus::kActive;
    arms_[paused].status = ArmStatus::kPaused;
    const ArmPair pair = summary().pairs.at(0);
    EXPECT_FALSE(pair.sample_ratio);
    const PastEpoch past = past_epoch(ledger_, facts());
    for (const MeanDifference* difference :
         {static_cast<const MeanDifference*>(&pair.differences.at(0)),
          static_cast<const MeanDifference*>(&past.differences.at(0))}) {
      EXPECT_EQ(difference->topics, 0U);
      EXPECT_FALSE(difference->mean);
      EXPECT_EQ(difference->live.value().topics, 0U);
      EXPECT_EQ(difference->live->state, LiveState::kCollecting);
    }
  }
}

}  // namespace
}  // namespace prescope
