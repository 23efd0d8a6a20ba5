// Visits that a host reports later: what it read from a log, or was posted by another process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utc_time.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::ElementsAre;

constexpr ArmIndex kArmOne(0), kArmTwo(1);

class ReportedVisits : public ::testing::Test {
 protected:
  explicit ReportedVisits(Mode mode = Mode::kObserve) : mode_(mode) {}

  ExperimentOptions listened() {
    ExperimentOptions options{.arms = {"a", "b"}, .measures = {"P@1"}, .mode = mode_};
    options.on_observation = [this](const Observation& one) { observed_.push_back(one); };
    return options;
  }
  Outcome report(const VisitOptions& options, const char* topic = "t1") {
    const std::vector<DocId> hits = {DocId(1)};
    Ranking ranking = served(kArmOne, resolved_, hits);
    ranking.latency = milliseconds(7);
    return experiment_.observe(experiment_.visit(TopicId(topic), options), ranking);
  }
  std::shared_ptr<const Summary> summary() { return experiment_.summary(); }

  const Mode mode_;
  std::vector<Observation> observed_;
  Experiment experiment_{Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")},
                                                                    {TopicId("t2"), Docno("d1")}}),
                         listened()};
  std::shared_ptr<const ResolvedQrels> resolved_ = resolve(experiment_);
};

TEST_F(ReportedVisits, KeepTheirTimeLatencyAndRequest) {
  const UtcTime yesterday = utc_now() - hours(24);
  report({.served = yesterday, .request_id = 17});
  report({.served = yesterday, .request_id = 18}, "not judged");
  const auto before = utc_now();
  report({});
  experiment_.flush();
  ASSERT_EQ(observed_.size(), 3U);
  for (const Observation& one : observed_) EXPECT_EQ(one.latency, milliseconds(7));
  EXPECT_EQ(observed_[0].time, yesterday);
  EXPECT_EQ(observed_[0].request_id, 17U);
  EXPECT_EQ(observed_[1].topic, kUnjudgedTopic);
  EXPECT_EQ(observed_[1].time, yesterday);
  EXPECT_EQ(observed_[1].request_id, 18U);
  EXPECT_GE(observed_[2].time, before) << "the time of recording";
  EXPECT_LE(observed_[2].time, utc_now());
  EXPECT_EQ(observed_[2].request_id, 0U);
}

TEST_F(ReportedVisits, FailuresKeepTimeAndRequestToo) {
  const UtcTime yesterday = utc_now() - hours(24);
  const Visit visit = experiment_.visit(TopicId("t1"), {.served = yesterday, .request_id = 17});
  experiment_.observe_failure(visit, kArmOne, Experiment::SearchFailure::kTimedOut);
  experiment_.flush();
  ASSERT_EQ(observed_.size(), 1U);
  EXPECT_EQ(observed_[0].time, yesterday);
  EXPECT_EQ(observed_[0].request_id, 17U);
}

// A log of yesterday is read today: no arm changed in between.
TEST_F(ReportedVisits, AreScoredIfTheyWereServedBeforeTheExperimentBegan) {
  report({.served = utc_now() - hours(24)});
  EXPECT_EQ(summary()->arms[0].means[0].topics, 1U);
  EXPECT_EQ(summary()->health.late_observations, 0U);
}

TEST_F(ReportedVisits, AreInNoScoreIfTheArmsChangedSince) {
  const UtcTime before = utc_now() - milliseconds(1);
  experiment_.restart_arm(kArmTwo);
  report({.served = before});
  EXPECT_EQ(summary()->arms[0].means[0].topics, 0U);
  EXPECT_EQ(summary()->health.late_observations, 1U);
  report({.served = utc_now()}, "t2");
  EXPECT_EQ(summary()->arms[0].means[0].topics, 1U);
  EXPECT_EQ(summary()->health.late_observations, 1U);
}

class ReportedInTwoArms : public ReportedVisits {
 protected:
  ReportedInTwoArms() : ReportedVisits(Mode::kPaired) {}
};

// The first visit of a topic decides in a verdict: a late one must neither stand for it nor end it.
TEST_F(ReportedInTwoArms, LateVisitsSayNothingOfTheFirstVisitOfTheirTopic) {
  const UtcTime before = utc_now() - milliseconds(1);
  experiment_.restart_arm(kArmTwo);
  static_cast<void>(experiment_.visit(TopicId("t1"), {.served = before}));
  report({.served = utc_now()});
  report({.served = before}, "t2");
  static_cast<void>(experiment_.visit(TopicId("t2"), {.arm = "a", .served = utc_now()}));
  static_cast<void>(summary());
  ASSERT_EQ(observed_.size(), 3U);
  EXPECT_EQ(observed_[0].flags, RankingFlags::kNone) << "the late visit of t1 left nothing";
  const Observation& unseen = observed_.back();
  EXPECT_TRUE(has(unseen.flags, RankingFlags::kUnseen)) << "the visit of t2 that left nothing";
  EXPECT_EQ(unseen.topic, TopicIndex(1));
}

TEST_F(ReportedInTwoArms, ComparisonsKeepTheTimesOfTheirSearches) {
  const UtcTime yesterday = utc_now() - hours(24);
  const Visit visit = experiment_.visit(TopicId("t1"), {.served = yesterday, .request_id = 17});
  const std::vector<DocId> hits = {DocId(1)};
  std::vector<Ranking> rankings = {served(kArmOne, resolved_, hits),
                                   served(kArmTwo, resolved_, hits)};
  rankings[0].latency = milliseconds(7);
  rankings[1].latency = milliseconds(14);
  ASSERT_EQ(experiment_.observe_comparison(visit, kArmOne, rankings), Outcome::kRecorded);
  experiment_.flush();
  std::vector<std::chrono::nanoseconds> latencies;
  for (const Observation& one : observed_) {
    EXPECT_EQ(one.time, yesterday);
    const bool is_announcement = has(one.flags, RankingFlags::kUnseen);
    EXPECT_EQ(one.request_id, is_announcement ? 0U : 17U);
    if (!is_announcement) latencies.push_back(one.latency);
  }
  EXPECT_THAT(latencies, ElementsAre(milliseconds(7), milliseconds(14)));
}

}  // namespace
}  // namespace prescope
