// One request through prescope's one call, in each mode, and what became of a ranking.
#include "prescope/served_request.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "support/served_rankings.h"

namespace prescope {
namespace {

constexpr ArmIndex kArmA{0}, kArmB{1};

/// Document 1 is relevant in both topics.
Qrels citations_of_d1() {
  const Qrels::Line lines[] = {{TopicId("t1"), Docno("d1"), 1}, {TopicId("t2"), Docno("d1"), 1}};
  return Qrels::from_lines(lines);
}

/// A host with one function for every mode. Arm b finds the relevant document, arm a does not.
class Host {
 public:
  explicit Host(Mode mode, RecordingOptions recording = {})
      : experiment_(citations_of_d1(), {.arms = {"a", "b"},
                                        .measures = {"R@10"},
                                        .mode = mode,
                                        .recording = recording,
                                        .shadow = {.deadline = std::chrono::hours(1)}}),
        resolved_(resolve(experiment_)) {}

  /// Returns the arm that served.
  ArmIndex answer(const SearchRequest& request) {
    const ServedRequest served(experiment_, request, [this](ArmIndex arm) {
      const std::vector<DocId> hits = {DocId(arm == kArmA ? 2 : 1)};
      experiment_.observe(served_by(arm, hits));
      return arm;
    });
    EXPECT_EQ(*served, served.arm()) << "the answer is what the search returned";
    return *served;
  }
  Ranking served_by(ArmIndex arm, const std::vector<DocId>& hits) const {
    return served(arm, resolved_, hits);
  }
  std::shared_ptr<const Summary> summary() {
    experiment_.drain_shadow();
    return experiment_.summary();
  }
  Experiment& experiment() { return experiment_; }

 private:
  Experiment experiment_;
  std::shared_ptr<const ResolvedQrels> resolved_;
};

TEST(ServedRequest, TheHostsArmServesAndByDefaultTheFirstThatIsActive) {
  Host host(Mode::kObserve);
  EXPECT_EQ(host.answer({.topic = "t1", .arm = kArmB}), kArmB);
  EXPECT_EQ(host.answer({.topic = "t1"}), kArmA);
  host.experiment().pause_arm(kArmA);
  EXPECT_EQ(host.answer({.topic = "t1"}), kArmB);
  EXPECT_EQ(host.summary()->health.inactive_arm, 0U);
}

TEST(ServedRequest, SplitModeServesATopicByItsArmHoweverTheTopicWasFound) {
  Host host(Mode::kSplit);
  for (const char* name : {"t1", "t2"}) {
    const ArmIndex drawn = host.experiment().arm_for(name);
    EXPECT_EQ(host.answer({.topic = name, .arm = ArmIndex(1 - drawn.value())}), drawn);
    const TopicIndex topic = *host.experiment().qrels().find(name);
    EXPECT_EQ(host.answer({.matched = topic, .text = "other words"}), drawn);
  }
  EXPECT_EQ(host.answer({.text = "fuel cell"}), host.experiment().arm_for("fuel cell"));
  const auto summary = host.summary();
  EXPECT_EQ(summary->arms[0].judged_queries + summary->arms[1].judged_queries, 4U);
  EXPECT_EQ(summary->arms[0].unjudged_queries + summary->arms[1].unjudged_queries, 1U);
}

TEST(ServedRequest, PairedModeComparesTheArmsWhenTheAnswerHasGoneOut) {
  Host host(Mode::kPaired);
  host.answer({.topic = "t1"});
  host.answer({.topic = "t2", .session = "s", .is_first_page = false});
  host.answer({.text = "unjudged"});
  const auto summary = host.summary();
  EXPECT_EQ(summary->health.shadow_run, 1U) << "of a first page of a judged topic";
  EXPECT_EQ(summary->health.shadow_unjudged, 1U);
  EXPECT_EQ(summary->pairs[0].differences[0].topics, 1U);
  EXPECT_EQ(summary->pairs[0].differences[0].mean, 1.0) << "R@10 of b is 1, and of a 0";
}

TEST(ServedRequest, ASearchThatCanOnlyBeMovedIsComparedToo) {
  Host host(Mode::kPaired);
  {
    const ServedRequest served(
        host.experiment(), {.topic = "t1"},
        [&host, hits = std::make_unique<std::vector<DocId>>(1, DocId(1))](ArmIndex arm) {
          host.experiment().observe(host.served_by(arm, *hits));
        });
    EXPECT_EQ(served.arm(), kArmA) << "and one that returns nothing";
  }
  EXPECT_EQ(host.summary()->pairs[0].differences[0].topics, 1U);
}

TEST(ServedRequest, AHostsFailureIsAFailedSearchOfItsArm) {
  for (const Mode mode : {Mode::kObserve, Mode::kPaired}) {
    Host host(mode);
    const auto fail = [](ArmIndex) -> int { throw std::runtime_error("no connection"); };
    EXPECT_THROW(ServedRequest(host.experiment(), {.topic = "t1"}, fail), std::runtime_error);
    const auto summary = host.summary();
    EXPECT_EQ(summary->arms[0].failed_queries, 1U);
    EXPECT_EQ(summary->health.queries_without_ranking, 0U);
    EXPECT_EQ(summary->health.shadow_run, 0U) << "nothing was served that could be compared";
  }
}

// B seemed worse if the host failed only after what A had ranked for the user was empty.
TEST(ServedRequest, AFailureBehindTheRankingLeavesTheComparisonIncomplete) {
  Host host(Mode::kPaired);
  const std::vector<DocId> nothing = {DocId(2)};
  const auto fail = [&](ArmIndex arm) -> int {
    host.experiment().observe(host.served_by(arm, nothing));
    throw std::out_of_range("no first hit");
  };
  EXPECT_THROW(ServedRequest(host.experiment(), {.topic = "t1"}, fail), std::out_of_range);
  const auto summary = host.summary();
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
  EXPECT_EQ(summary->epoch.compared_visits, 0U);
  EXPECT_EQ(summary->pairs[0].differences[0].live.value().bounded_topics, 1U)
      << "the visit may have any difference";
}

TEST(ServedRequest, ATopicOfOtherJudgementsIsUnjudged) {
  for (const Mode mode : {Mode::kObserve, Mode::kPaired, Mode::kSplit}) {
    Host host(mode);
    host.answer({.matched = TopicIndex(5'000'000)});
    const Visit visit = host.experiment().visit(TopicIndex(2));
    EXPECT_FALSE(host.experiment().wants_shadow(visit));
    EXPECT_EQ(host.experiment().observe_comparison(visit, kArmA, {}), Outcome::kNotCompared);
    EXPECT_FALSE(host.experiment().shadow(visit, kArmA, [](ArmIndex) {}));
    const auto summary = host.summary();
    EXPECT_EQ(summary->health.shadow_run, 0U);
    EXPECT_EQ(summary->health.shadow_unjudged, mode == Mode::kPaired ? 4U : 0U);
  }
}

TEST(ServedRequest, AFailureThatTheAdapterSawIsCountedOnce) {
  Host host(Mode::kObserve);
  const auto fail = [&](ArmIndex arm) -> int {
    host.experiment().observe_failure(arm, Experiment::SearchFailure::kTimedOut);
    throw std::runtime_error("too slow");
  };
  EXPECT_THROW(ServedRequest(host.experiment(), {.topic = "t1"}, fail), std::runtime_error);
  const auto summary = host.summary();
  EXPECT_EQ(summary->arms[0].timed_out_queries, 1U);
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
}

/// A host that searches for comparison itself, such as on other servers.
class OwnComparison : public ::testing::Test {
 protected:
  Outcome compare(const char* topic, const std::vector<Ranking>& rankings) {
    const Visit visit = host_.experiment().visit(TopicId(topic));
    host_.experiment().observe(visit, host_.served_by(kArmA, kNothing));
    return host_.experiment().observe_comparison(visit, kArmA, rankings);
  }
  Ranking found(ArmIndex arm) const { return host_.served_by(arm, kFound); }
  Ranking nothing(ArmIndex arm) const { return host_.served_by(arm, kNothing); }
  Ranking failed(ArmIndex arm) const {
    return {.arm = arm, .search_started = {}, .flags = RankingFlags::kFailed};
  }

  const std::vector<DocId> kFound = {DocId(1)}, kNothing = {DocId(2)};
  Host host_{Mode::kPaired};
};

TEST_F(OwnComparison, CountsAsOneOfThePool) {
  EXPECT_EQ(compare("t1", {nothing(kArmA), found(kArmB)}), Outcome::kRecorded);
  EXPECT_EQ(compare("t2", {found(kArmB), found(kArmA)}), Outcome::kRecorded);
  const auto summary = host_.summary();
  EXPECT_EQ(summary->epoch.compared_visits, 2U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 0U);
  EXPECT_EQ(summary->health.shadow_run, 2U);
  EXPECT_EQ(summary->pairs[0].differences[0].mean, 0.5) << "R@10: 1 - 0 and 1 - 1";
  EXPECT_EQ(summary->arms[1].latency.count, 0U) << "no user waited for it";
}

TEST_F(OwnComparison, RankingsMayComeOneByOne) {
  Experiment& experiment = host_.experiment();
  const Visit visit = experiment.visit(TopicId("t1"));
  OpenComparison comparison = experiment.begin_comparison(visit, std::nullopt);
  EXPECT_EQ(comparison.arms, 2U);
  EXPECT_EQ(experiment.observe(comparison, found(kArmB)), Outcome::kRecorded);
  EXPECT_EQ(host_.summary()->epoch.incomplete_visits, 1U) << "as long as A's is not there";

  experiment.observe(visit, host_.served_by(kArmA, kNothing));
  EXPECT_EQ(experiment.observe(comparison, nothing(kArmA)), Outcome::kRecorded);
  experiment.end_comparison(comparison);
  const auto summary = host_.summary();
  EXPECT_EQ(summary->epoch.compared_visits, 1U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 0U);
  EXPECT_EQ(summary->health.shadow_failed, 0U);
  EXPECT_EQ(summary->pairs[0].differences[0].mean, 1.0) << "R@10: 1 - 0";
}

TEST_F(OwnComparison, ARankingThatComesAfterTheEndCountsForItsVisit) {
  Experiment& experiment = host_.experiment();
  const Visit visit = experiment.visit(TopicId("t1"));
  OpenComparison comparison = experiment.begin_comparison(visit, kArmA);
  experiment.observe(comparison, found(kArmB));
  experiment.end_comparison(comparison);
  experiment.observe(comparison, nothing(kArmA));
  const auto summary = host_.summary();
  EXPECT_EQ(summary->health.shadow_failed, 1U);
  EXPECT_EQ(summary->epoch.compared_visits, 1U);
}

TEST_F(OwnComparison, ASearchThatFailedIsAnEmptyRanking) {
  EXPECT_EQ(compare("t1", {found(kArmA), failed(kArmB)}), Outcome::kRecorded);
  const auto summary = host_.summary();
  EXPECT_EQ(summary->epoch.compared_visits, 1U);
  EXPECT_EQ(summary->pairs[0].differences[0].mean, -1.0);
  EXPECT_EQ(summary->health.shadow_failed, 1U);
}

TEST_F(OwnComparison, AnArmThatIsMissingMakesItIncomplete) {
  EXPECT_EQ(compare("t1", {found(kArmB)}), Outcome::kRecorded);
  const auto summary = host_.summary();
  EXPECT_EQ(summary->epoch.compared_visits, 0U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 1U);
  EXPECT_EQ(summary->pairs[0].differences[0].topics, 0U);
}

TEST_F(OwnComparison, WithoutARankingItHasFailed) {
  EXPECT_EQ(compare("t1", {}), Outcome::kRecorded);
  const auto summary = host_.summary();
  EXPECT_EQ(summary->health.shadow_failed, 1U);
  EXPECT_EQ(summary->epoch.compared_visits, 0U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 1U);
}

// The time of the call is after all searches: the arm that was searched first seemed slower.
TEST_F(OwnComparison, LatencyIsUnknownUnlessTheHostSaysWhenASearchEnded) {
  Ranking timed = found(kArmB);
  timed.search_ended = timed.search_started + std::chrono::milliseconds(3);
  compare("t1", {found(kArmA), timed});
  const auto summary = host_.summary();
  EXPECT_EQ(summary->arms[0].shadow_latency.count, 0U);
  EXPECT_EQ(summary->arms[1].shadow_latency.count, 1U);
}

TEST_F(OwnComparison, AVisitThatIsNotComparedIsRefused) {
  const std::vector<Ranking> rankings = {found(kArmA), found(kArmB)};
  EXPECT_EQ(compare("unjudged", rankings), Outcome::kNotCompared);
  EXPECT_EQ(host_.summary()->health.shadow_unjudged, 1U);
  Host observing(Mode::kObserve);
  const Visit visit = observing.experiment().visit(TopicId("t1"));
  EXPECT_EQ(observing.experiment().observe_comparison(visit, kArmA, rankings),
            Outcome::kNotCompared);
}

TEST(Outcome, SaysWhatBecameOfARanking) {
  Host host(Mode::kObserve);
  Experiment& experiment = host.experiment();
  const std::vector<DocId> hits = {DocId(1)};
  const Ranking ranking = host.served_by(kArmA, hits);
  const Visit judged = experiment.visit(TopicId("t1"));
  const Visit unjudged = experiment.visit(kUnjudgedTopic);
  constexpr auto kFailed = Experiment::SearchFailure::kFailed;

  EXPECT_EQ(experiment.observe(judged, ranking), Outcome::kRecorded);
  EXPECT_EQ(experiment.observe_failure(judged, kArmA, kFailed), Outcome::kRecorded);
  EXPECT_EQ(experiment.observe(unjudged, ranking), Outcome::kUnjudged);
  EXPECT_EQ(experiment.observe_failure(unjudged, kArmA, kFailed), Outcome::kUnjudged);
  EXPECT_EQ(experiment.observe(ranking), Outcome::kNoScope);
  {
    const QueryScope scope(experiment, judged);
    EXPECT_EQ(experiment.observe(ranking), Outcome::kRecorded);
  }

  Ranking without_table = ranking, without_ranks = ranking;
  without_table.resolved = nullptr;
  without_ranks.first_rank = 0;
  EXPECT_EQ(experiment.observe(judged, without_table), Outcome::kUnmatched);
  EXPECT_EQ(experiment.observe(judged, without_ranks), Outcome::kAbandoned);

  experiment.pause_arm(kArmA);
  EXPECT_EQ(experiment.observe(judged, ranking), Outcome::kInactiveArm);
  EXPECT_EQ(experiment.observe_failure(judged, ArmIndex(7), kFailed), Outcome::kInactiveArm);

  const auto summary = host.summary();
  EXPECT_EQ(summary->health.recorded, 6U) << "those that were recorded, unjudged or unmatched";
}

TEST(Outcome, SaysThatSamplingLeftTheVisitOut) {
  Host host(Mode::kObserve, {.sampling = 0.5});
  const std::vector<DocId> hits = {DocId(1)};
  std::uint64_t recorded = 0, left_out = 0;
  for (int i = 0; i < 100; ++i) {
    const Visit visit = host.experiment().visit(TopicId("t1"));
    const Outcome outcome = host.experiment().observe(visit, host.served_by(kArmA, hits));
    (outcome == Outcome::kRecorded ? recorded : left_out) += 1;
    EXPECT_TRUE(outcome == Outcome::kRecorded || outcome == Outcome::kSampledOut);
  }
  const auto summary = host.summary();
  EXPECT_EQ(summary->health.recorded, recorded);
  EXPECT_EQ(summary->health.sampled_out, left_out);
  EXPECT_GT(recorded, 0U);
  EXPECT_GT(left_out, 0U);
}

TEST(Outcome, SaysThatTheQueueWasFull) {
  RecordingOptions recording;
  recording.queue_bytes = 64U << 10U;
  recording.drain_interval = std::chrono::milliseconds(1000);
  Host host(Mode::kObserve, recording);
  const std::vector<DocId> hits = {DocId(1)};
  std::uint64_t dropped = 0;
  for (int i = 0; i < 10000; ++i) {
    const Visit visit = host.experiment().visit(TopicId("t1"));
    const Outcome outcome = host.experiment().observe(visit, host.served_by(kArmA, hits));
    dropped += outcome == Outcome::kNoRoom ? 1 : 0;
  }
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(host.summary()->health.dropped_queue_full, dropped);
}

}  // namespace
}  // namespace prescope
