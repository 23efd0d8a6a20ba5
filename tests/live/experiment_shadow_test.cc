// Paired and split traffic through the whole of an experiment, on an engine of two fixed rankings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <set>
#include <thread>

#include "prescope/experiment.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

constexpr std::uint32_t kTopics = 12;
constexpr ArmIndex kFirst{0}, kSecond{1}, kThird{2};

TopicId topic(std::uint32_t t) { return TopicId("t" + std::to_string(100 + t)); }

/// Documents 1 and 2 are relevant in every topic.
Qrels two_relevant() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    lines.push_back({topic(t), Docno("d1"), 1});
    lines.push_back({topic(t), Docno("d2"), 1});
  }
  return Qrels::from_lines(lines);
}

ExperimentOptions traffic(Mode mode, std::vector<std::string> arms) {
  return {.arms = std::move(arms),
          .measures = {"R@10"},
          .mode = mode,
          .shadow = {.queue = 65536, .deadline = std::chrono::hours(1)}};
}

/// Arm a finds one of the two (R@10 is 1/2), every other arm both (1).
void search(Experiment& experiment, const std::shared_ptr<const ResolvedQrels>& resolved,
            ArmIndex arm) {
  const std::vector<DocId> one = {DocId(1), DocId(7)}, both = {DocId(7), DocId(2), DocId(1)};
  experiment.observe(served(arm, resolved, arm == kFirst ? one : both));
}

void wait_until_run(Experiment& experiment, std::uint64_t queries) {
  while (experiment.summary()->health.shadow_run < queries) std::this_thread::yield();
}

TEST(PairedTraffic, VisitsThatBeganBeforeTheArmsChangedAreNotCompared) {
  Experiment experiment(two_relevant(), traffic(Mode::kPaired, {"a", "b"}));
  const auto resolved = resolve(experiment);
  const Visit before = experiment.visit(topic(0)), served_late = experiment.visit(topic(1));
  std::atomic<bool> has_begun{false}, has_changed{false};
  EXPECT_TRUE(experiment.shadow(before, kFirst, [&](ArmIndex arm) {
    has_begun = true;
    while (!has_changed) std::this_thread::yield();
    search(experiment, resolved, arm);
  }));
  while (!has_begun) std::this_thread::yield();
  experiment.add_arm("c");
  has_changed = true;
  wait_until_run(experiment, 1);
  experiment.observe(served_late, served(kFirst, resolved, std::vector<DocId>{DocId(1)}));
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->epoch.compared_visits, 0U);
  EXPECT_EQ(summary->pairs[0].differences[0].topics, 0U) << "no visit without arm c";
  EXPECT_EQ(summary->arms[0].served_means[0].topics, 0U);
  EXPECT_EQ(summary->health.late_observations, 3U);
  EXPECT_TRUE(experiment.shadow(experiment.visit(topic(2)), kFirst,
                                [&](ArmIndex arm) { search(experiment, resolved, arm); }));
  wait_until_run(experiment, 2);
  EXPECT_EQ(experiment.summary()->pairs[0].differences[0].topics, 1U);
}

TEST(PairedTraffic, GivesTheDifferenceOfEveryJudgedQuery) {
  for (const auto latency :
       {ShadowOptions::Latency::kBothArms, ShadowOptions::Latency::kNotCompared}) {
    ExperimentOptions options = traffic(Mode::kPaired, {"a", "b"});
    options.shadow.latency = latency;
    Experiment experiment(two_relevant(), options);
    const auto resolved = resolve(experiment);
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      const Visit visit = experiment.visit(topic(t));
      {
        const QueryScope scope(experiment, visit);
        search(experiment, resolved, kFirst);
      }
      EXPECT_TRUE(experiment.wants_shadow(visit));
      EXPECT_TRUE(experiment.shadow(visit, kFirst,
                                    [&](ArmIndex arm) { search(experiment, resolved, arm); }));
    }
    const Visit unjudged = experiment.visit(TopicId("unjudged"));
    EXPECT_FALSE(experiment.wants_shadow(unjudged));
    EXPECT_FALSE(experiment.shadow(unjudged, kFirst, [](ArmIndex) { ADD_FAILURE(); }));
    wait_until_run(experiment, kTopics);
    const auto summary = experiment.summary();
    const MeasureDifference& difference = summary->pairs[0].differences[0];
    EXPECT_EQ(difference.topics, kTopics);
    EXPECT_EQ(difference.mean, 0.5);  // 2/2 - 1/2 in each
    EXPECT_EQ(difference.wins, kTopics);
    const std::uint64_t twice = latency == ShadowOptions::Latency::kBothArms ? 2 : 1;
    EXPECT_EQ(summary->arms[0].judged_queries, twice * kTopics);
    EXPECT_EQ(summary->arms[1].judged_queries, kTopics);
    EXPECT_EQ(summary->arms[0].latency.count, kTopics) << "served";
    EXPECT_EQ(summary->arms[1].latency.count, 0U) << "nobody waited for a shadow";
    EXPECT_EQ(summary->health.shadow_run, kTopics);
    EXPECT_EQ(summary->health.shadow_unjudged, 2U);
    EXPECT_EQ(summary->health.shadow_failed, 0U);
    EXPECT_EQ(summary->health.queries_without_ranking, 0U);
  }
}

TEST(PairedTraffic, LeavesOutPausedArms) {
  Experiment experiment(two_relevant(), traffic(Mode::kPaired, {"a", "b", "c"}));
  const auto resolved = resolve(experiment);
  const auto again = [&](ArmIndex arm) {
    EXPECT_NE(arm, kSecond);
    search(experiment, resolved, arm);
  };
  experiment.pause_arm(kSecond);
  EXPECT_TRUE(experiment.shadow(experiment.visit(topic(0)), kFirst, again));
  wait_until_run(experiment, 1);
  EXPECT_EQ(experiment.summary()->arms[2].judged_queries, 1U);
  experiment.pause_arm(kThird);
  EXPECT_FALSE(experiment.wants_shadow(experiment.visit(topic(0))));
  EXPECT_FALSE(experiment.shadow(experiment.visit(topic(0)), kFirst, again));
  EXPECT_EQ(experiment.summary()->health.shadow_unpaired, 2U);
}

TEST(PairedTraffic, FailingShadowIsCountedAndServingGoesOn) {
  Experiment experiment(two_relevant(), traffic(Mode::kPaired, {"a", "b"}));
  const auto resolved = resolve(experiment);
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    const QueryScope scope(experiment, topic(t));
    search(experiment, resolved, kFirst);
    EXPECT_TRUE(experiment.shadow(scope.visit(), kFirst, [](ArmIndex) { throw std::bad_alloc(); }));
  }
  wait_until_run(experiment, kTopics);
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->arms[0].topics_seen, kTopics);
  EXPECT_EQ(summary->health.recorded, 3 * kTopics) << "each arm's search has failed";
  EXPECT_EQ(summary->health.shadow_failed, kTopics);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U) << "counted under one name only";
}

TEST(PairedTraffic, DestructorWaitsForTheRunningSearchAndStartsNoOther) {
  std::promise<void> begun, go_on;
  const std::shared_future<void> may_go_on = go_on.get_future().share();
  std::atomic<int> searches{0};
  std::atomic<bool> is_gone = false;
  std::vector<ArmIndex> recorded;  // by the recorder thread, which has ended when it is read
  ExperimentOptions options = traffic(Mode::kPaired, {"a", "b"});
  options.on_observation = [&](const Observation& observation) {
    if (!has(observation.flags, RankingFlags::kUnseen)) recorded.push_back(observation.arm);
  };
  auto experiment = std::make_unique<Experiment>(two_relevant(), options);
  Experiment& running = *experiment;
  const auto resolved = resolve(running);
  EXPECT_TRUE(running.shadow(running.visit(topic(0)), kFirst, [&](ArmIndex arm) {
    if (++searches == 1) begun.set_value();
    may_go_on.wait();
    EXPECT_FALSE(is_gone);
    search(running, resolved, arm);
  }));
  begun.get_future().wait();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_TRUE(running.shadow(running.visit(topic(1)), kFirst, [&](ArmIndex arm) {
      ++searches;
      EXPECT_FALSE(is_gone);
      search(running, resolved, arm);
    }));
  }
  std::jthread end([&] {
    experiment.reset();
    is_gone = true;
  });
  go_on.set_value();
  end.join();
  EXPECT_GE(searches, 1);
  EXPECT_EQ(recorded.size(), static_cast<std::size_t>(searches)) << "what ran was recorded";
}

TEST(PairedTraffic, AFunctionMayBeTheLastOwnerOfTheExperiment) {
  std::atomic<int> recorded{0};
  std::atomic<bool> is_released{false};
  ExperimentOptions options = traffic(Mode::kPaired, {"a", "b"});
  options.on_observation = [&](const Observation&) { ++recorded; };
  auto experiment = std::make_shared<Experiment>(two_relevant(), std::move(options));
  const auto resolved = resolve(*experiment);
  auto thread = std::make_shared<int>();  // owned by the pool's thread until it ends
  const std::weak_ptr<int> running = thread;
  EXPECT_TRUE(experiment->shadow(experiment->visit(topic(0)), kFirst,
                                 [&, experiment, thread](ArmIndex arm) {
                                   static thread_local std::shared_ptr<int> of_this_thread;
                                   of_this_thread = thread;
                                   while (!is_released) std::this_thread::yield();
                                   search(*experiment, resolved, arm);
                                 }));
  thread.reset();
  experiment.reset();
  is_released = true;
  while (!running.expired()) std::this_thread::yield();
  EXPECT_EQ(recorded, 2) << "of each arm";
}

TEST(PairedTraffic, OtherModesHaveNoShadows) {
  for (const Mode mode : {Mode::kObserve, Mode::kSplit}) {
    Experiment experiment(two_relevant(), traffic(mode, {"a", "b"}));
    EXPECT_FALSE(experiment.wants_shadow(experiment.visit(topic(0))));
    EXPECT_FALSE(
        experiment.shadow(experiment.visit(topic(0)), kFirst, [](ArmIndex) { ADD_FAILURE(); }));
  }
}

TEST(SplitTraffic, ComparesTopicsOfOneArmWithTopicsOfTheOther) {
  Experiment experiment(two_relevant(), traffic(Mode::kSplit, {"a", "b"}));
  const auto resolved = resolve(experiment);
  std::uint32_t in_a = 0;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    const QueryScope scope(experiment, topic(t));
    const ArmIndex arm = experiment.arm_for(topic(t).text());
    ASSERT_EQ(experiment.arm_for(topic(t).text()), arm);
    in_a += arm == kFirst ? 1 : 0;
    search(experiment, resolved, arm);
  }
  const auto summary = experiment.summary();
  EXPECT_GT(in_a, 0U);
  EXPECT_LT(in_a, kTopics);
  EXPECT_EQ(summary->arms[0].topics_seen, in_a);
  EXPECT_EQ(summary->arms[1].topics_seen, kTopics - in_a);
  EXPECT_EQ(summary->pairs[0].differences[0].topics, kTopics);
}

TEST(SplitTraffic, AddedAndRemovedArmsMoveOnlyTheirOwnTopics) {
  Experiment experiment(two_relevant(), traffic(Mode::kSplit, {"a", "b", "c"}));
  constexpr int kUnits = 3000;
  const auto assigned = [&] {
    std::vector<ArmIndex> arms;
    for (int i = 0; i < kUnits; ++i) arms.push_back(experiment.arm_for(std::to_string(i)));
    return arms;
  };
  const std::vector<ArmIndex> before = assigned();
  const auto expect_only_those_of = [&](ArmIndex gone) {
    const std::vector<ArmIndex> now = assigned();
    for (int i = 0; i < kUnits; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_TRUE(before[at] == gone ? now[at] != gone : now[at] == before[at]) << "unit " << i;
    }
  };
  experiment.pause_arm(kSecond);
  expect_only_those_of(kSecond);
  experiment.resume_arm(kSecond);
  EXPECT_EQ(assigned(), before);
  experiment.remove_arm(kThird);
  expect_only_those_of(kThird);
  EXPECT_EQ(experiment.add_arm("c"), kThird);
  EXPECT_EQ(assigned(), before);
  for (const ArmIndex arm : {kFirst, kSecond, kThird}) experiment.pause_arm(arm);
  EXPECT_EQ(assigned(), std::vector<ArmIndex>(kUnits, kFirst))
      << "without an active arm, the first";
}

TEST(SplitTraffic, SaltDecidesTheArmAndOtherModesUseTheFirst) {
  const auto arms_of = [](Mode mode, const std::string& salt) {
    ExperimentOptions options = traffic(mode, {"a", "b"});
    options.split.salt = salt;
    const Experiment experiment(two_relevant(), options);
    std::vector<std::uint32_t> arms;
    for (int i = 0; i < 64; ++i) arms.push_back(experiment.arm_for(std::to_string(i)).value());
    return arms;
  };
  EXPECT_EQ(arms_of(Mode::kSplit, "prescope"), arms_of(Mode::kSplit, "prescope"));
  EXPECT_NE(arms_of(Mode::kSplit, "prescope"), arms_of(Mode::kSplit, "another"));
  EXPECT_EQ(arms_of(Mode::kPaired, "prescope"), std::vector<std::uint32_t>(64, 0));
  EXPECT_EQ(arms_of(Mode::kObserve, "prescope"), std::vector<std::uint32_t>(64, 0));
}

}  // namespace
}  // namespace prescope
