#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <latch>
#include <thread>

#include "base/hash.h"
#include "prescope/error.h"
#include "prescope/ranking_observer.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

Qrels three_judged() {
  return Qrels::from_lines(std::vector<Qrels::Line>{
      {TopicId("t1"), Docno("d1")}, {TopicId("t1"), Docno("d2")}, {TopicId("t1"), Docno("d3"), 0}});
}

std::vector<DocId> docids(std::initializer_list<std::uint32_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// An observation, and copies of the data it points to.
struct Seen {
  Observation observation;
  std::vector<JudgedHit> hits;
  std::vector<DocId> captured_docids;
  std::vector<std::uint64_t> captured_keys;

  explicit Seen(const Observation& one)
      : observation(one),
        hits(one.hits.begin(), one.hits.end()),
        captured_docids(one.captured_docids.begin(), one.captured_docids.end()),
        captured_keys(one.captured_keys.begin(), one.captured_keys.end()) {}
};

/// An experiment of one arm, and everything that its listener was given.
struct Recorded {
  explicit Recorded(RecordingOptions recording)
      : experiment(three_judged(),
                   {.arms = {"a", "b"},
                    .cutoffs = {10},
                    .recording = recording,
                    .on_observation = [this](const Observation& one) { seen.emplace_back(one); }}),
        resolved(resolve(experiment)) {}

  Ranking ranking(const std::vector<DocId>& hits) const {
    return served(ArmIndex(0), resolved, hits);
  }
  void serve(const char* topic, const std::vector<DocId>& hits) {
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe(ranking(hits));
  }

  std::vector<Seen> seen;  // read after a flush
  Experiment experiment;
  std::shared_ptr<const ResolvedQrels> resolved;
};

TEST(ExperimentSampling, TakesItsShareAndCountsTheRest) {
  constexpr std::uint64_t kQueries = 20'000;
  constexpr double kShare = 0.25;
  Recorded recorded({.sampling = kShare});
  for (std::uint64_t i = 0; i < kQueries; ++i) {
    recorded.serve("t1", docids({1}));
    if (i % 1000 == 0) recorded.experiment.flush();
  }
  const Health health = recorded.experiment.summary()->health;
  EXPECT_EQ(health.pushed + health.sampled_out + health.dropped_queue_full, kQueries);
  EXPECT_EQ(health.queries_without_ranking, 0U);
  // Six standard deviations of the binomial law.
  const double expected = kShare * kQueries, sd = std::sqrt(expected * (1 - kShare));
  EXPECT_NEAR(static_cast<double>(kQueries - health.sampled_out), expected, 6 * sd);
}

TEST(ExperimentSampling, TakesAllRankingsOfAScopeOrNone) {
  Recorded recorded({.sampling = 0.5});
  for (int i = 0; i < 200; ++i) {
    recorded.experiment.flush();
    const std::size_t before = recorded.seen.size();
    {
      const QueryScope scope(recorded.experiment, TopicId("t1"));
      for (int page = 0; page < 3; ++page) {
        recorded.experiment.observe(recorded.ranking(docids({1})));
      }
      recorded.experiment.observe_failure(ArmIndex(0), Experiment::SearchFailure::kFailed);
    }
    recorded.experiment.flush();
    EXPECT_THAT(recorded.seen.size() - before, ::testing::AnyOf(0U, 4U));
  }
  EXPECT_EQ(recorded.experiment.summary()->health.sampled_out + recorded.seen.size(), 800U);
}

TEST(ExperimentCapture, KeepsTheFirstDocidsAsServed) {
  Recorded recorded({.capture_depth = 4});
  recorded.serve("t1", docids({9, 1, 1, 8, 2, 7}));
  recorded.serve("t1", docids({5}));
  recorded.serve("nobody judged this", docids({9, 1}));
  recorded.experiment.flush();
  ASSERT_EQ(recorded.seen.size(), 3U);
  EXPECT_THAT(recorded.seen[0].captured_docids, ElementsAreArray(docids({9, 1, 1, 8})));
  EXPECT_THAT(recorded.seen[0].hits,
              ElementsAre(JudgedHit{2, JudgementIndex(0)}, JudgedHit{5, JudgementIndex(1)}));
  EXPECT_THAT(recorded.seen[0].captured_keys, IsEmpty());
  EXPECT_THAT(recorded.seen[1].captured_docids, ElementsAreArray(docids({5})));
  EXPECT_THAT(recorded.seen[2].captured_docids, IsEmpty()) << "an unjudged query";
}

TEST(ExperimentCapture, KeepsNoMoreThanTheDepth) {
  Recorded recorded({.capture_depth = 100});
  const std::vector<DocId> hits = docids({9, 8, 7});
  {
    const QueryScope scope(recorded.experiment, TopicId("t1"));
    Ranking ranking = recorded.ranking(hits);
    ranking.requested_depth = 2;
    recorded.experiment.observe(ranking);
  }
  recorded.experiment.flush();
  EXPECT_THAT(recorded.seen.at(0).captured_docids, ElementsAreArray(docids({9, 8})));
}

TEST(ExperimentCapture, ContinuesAcrossPartsAndEndsAtSkippedHits) {
  Recorded recorded({.capture_depth = 6});
  const auto in_parts = [&](std::uint32_t skipped) {
    const std::vector<DocId> first = docids({9, 8}), second = docids({7, 1});
    const QueryScope scope(recorded.experiment, TopicId("t1"));
    RankingObserver observer(recorded.experiment, recorded.ranking({}));
    observer.add(first);
    observer.skip(skipped);
    observer.add(second);
  };
  in_parts(0);
  in_parts(1);
  recorded.experiment.flush();
  ASSERT_EQ(recorded.seen.size(), 2U);
  EXPECT_THAT(recorded.seen[0].captured_docids, ElementsAreArray(docids({9, 8, 7, 1})));
  EXPECT_THAT(recorded.seen[1].captured_docids, ElementsAreArray(docids({9, 8})));
  EXPECT_THAT(recorded.seen[1].hits, ElementsAre(JudgedHit{5, JudgementIndex(0)}))
      << "matching goes on";
}

TEST(ExperimentCapture, KeepsHashesOfKeysIfDocnosAreServed) {
  std::vector<Seen> seen;
  Experiment experiment(
      Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("EP1B1")}},
                        {.docno = DocnoPolicy::kPatent}),
      {.arms = {"a"},
       .recording = {.capture_depth = 3},
       .on_observation = [&](const Observation& one) { seen.emplace_back(one); }});
  const std::vector<std::string_view> docnos = {"EP-0000007-A1", "EP 1", "a book", "EP2"};
  {
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe({.kind = HitKind::kDocnos, .docnos = docnos, .requested_depth = 10});
  }
  experiment.flush();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].captured_keys,
              ElementsAre(key_hash("EP7"), key_hash("EP1"), key_hash("a book")));
  EXPECT_THAT(seen[0].hits, ElementsAre(JudgedHit{2, JudgementIndex(0)}));
  EXPECT_THAT(seen[0].captured_docids, IsEmpty());
}

TEST(ExperimentCapture, DeepestCaptureFitsTheSmallestQueue) {
  constexpr std::uint32_t kDepth = 100'000;
  Recorded recorded({.queue_bytes = 65536, .capture_depth = kDepth});
  std::vector<DocId> hits;
  for (std::uint32_t i = 0; i < kDepth; ++i) hits.emplace_back(i + 500);
  {
    const QueryScope scope(recorded.experiment, TopicId("t1"));
    Ranking ranking = recorded.ranking(hits);
    ranking.requested_depth = UINT32_MAX;
    recorded.experiment.observe(ranking);
  }
  recorded.experiment.flush();
  ASSERT_EQ(recorded.seen.size(), 1U);
  EXPECT_EQ(recorded.seen[0].captured_docids, hits);
}

TEST(ExperimentFailure, IsAnObservationOfItsScope) {
  Recorded recorded({});
  {
    const QueryScope scope(recorded.experiment, TopicId("t1"), {.arm = "b"});
    recorded.experiment.observe_failure(ArmIndex(0), Experiment::SearchFailure::kTimedOut);
  }
  recorded.experiment.observe_failure(ArmIndex(0), Experiment::SearchFailure::kFailed);
  const auto summary = recorded.experiment.summary();
  ASSERT_EQ(recorded.seen.size(), 2U);
  const Observation& in_scope = recorded.seen[0].observation;
  EXPECT_EQ(in_scope.arm, ArmIndex(1)) << "the scope's arm, as for rankings";
  EXPECT_EQ(in_scope.topic, TopicIndex(0));
  EXPECT_EQ(in_scope.flags, RankingFlags::kTimedOut);
  EXPECT_EQ(in_scope.num_ret, 0U);
  EXPECT_EQ(recorded.seen[1].observation.topic, kUnjudgedTopic);
  EXPECT_EQ(recorded.seen[1].observation.flags, RankingFlags::kFailed);
  EXPECT_EQ(summary->arms[0].failed_queries, 1U);
  EXPECT_EQ(summary->arms[0].timed_out_queries, 0U);
  EXPECT_EQ(summary->arms[1].timed_out_queries, 1U);
  EXPECT_EQ(summary->arms[1].means[0].topics, 1U) << "a search that failed is an empty ranking";
  EXPECT_EQ(summary->arms[1].means[0].mean, 0.0);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U) << "it is counted as failed";
  EXPECT_EQ(summary->health.queries_without_scope, 0U);
}

TEST(ExperimentFailure, OfAnInactiveOrUnknownArmIsOnlyCounted) {
  Recorded recorded({});
  recorded.experiment.pause_arm(ArmIndex(1));
  recorded.experiment.observe_failure(ArmIndex(1), Experiment::SearchFailure::kFailed);
  recorded.experiment.observe_failure(ArmIndex(9), Experiment::SearchFailure::kFailed);
  const Health health = recorded.experiment.summary()->health;
  EXPECT_EQ(health.inactive_arm, 1U);
  EXPECT_EQ(health.unknown_arm, 1U);
  EXPECT_EQ(health.pushed, 0U);
}

/// A scope that ends without a ranking, because a cache of the host has answered. In Mode::kSplit
/// the hash says which arm has served.
TEST(ExperimentUnseenAnswer, IsCountedForItsArmIfThatIsKnown) {
  for (const Mode mode : {Mode::kObserve, Mode::kPaired, Mode::kSplit}) {
    Experiment experiment(three_judged(), {.arms = {"a", "b"}, .cutoffs = {10}, .mode = mode});
    { const QueryScope scope(experiment, TopicId("t1")); }
    { const QueryScope scope(experiment, TopicId("t1"), {.arm = "b"}); }
    { const QueryScope scope(experiment, TopicId("unjudged"), {.arm = "b"}); }
    const auto summary = experiment.summary();
    EXPECT_EQ(summary->health.queries_without_ranking, 3U);
    for (const std::uint32_t arm : {0U, 1U}) {
      const bool is_drawn = mode == Mode::kSplit && experiment.arm_for("t1") == ArmIndex(arm);
      EXPECT_EQ(summary->arms[arm].unseen_visits, (arm == 1 ? 1U : 0U) + (is_drawn ? 1U : 0U));
      EXPECT_EQ(summary->arms[arm].judged_queries, 0U);
      EXPECT_EQ(summary->arms[arm].means[0].topics, 0U) << "nobody knows what was served";
    }
  }
}

TEST(ExperimentPublishing, LatestExistsFromTheStartAndIsUpdated) {
  Recorded recorded({.publish_interval = milliseconds(10)});
  const std::shared_ptr<const Summary> first = recorded.experiment.latest();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->detail, SummaryDetail::kVerdicts);
  EXPECT_EQ(first->arms.size(), 2U);
  recorded.serve("t1", docids({1}));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (recorded.experiment.latest()->health.recorded == 0 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto later = recorded.experiment.latest();
  EXPECT_EQ(later->health.recorded, 1U);
  EXPECT_EQ(later->arms[0].means[0].topics, 1U);
  EXPECT_TRUE(later->rows.empty());
  EXPECT_EQ(first->health.recorded, 0U) << "a summary never changes";
}

TEST(ExperimentPublishing, NothingIsPublishedWithoutNewObservations) {
  Recorded recorded({.drain_interval = milliseconds(1), .publish_interval = milliseconds(10)});
  recorded.serve("t1", docids({1}));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (recorded.experiment.latest()->health.recorded == 0 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto published = recorded.experiment.latest();
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_EQ(recorded.experiment.latest(), published);
}

TEST(ExperimentPublishing, LatestDoesNotWaitForTheLedger) {
  std::latch recorder_is_busy(1), recorder_may_go_on(1);
  Experiment experiment(three_judged(), {.arms = {"a"}, .on_observation = [&](const Observation&) {
                                           recorder_is_busy.count_down();
                                           recorder_may_go_on.wait();
                                         }});
  const auto resolved = resolve(experiment);
  {
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(ArmIndex(0), resolved, docids({1})));
  }
  recorder_is_busy.wait();
  EXPECT_NE(experiment.latest(), nullptr) << "hangs where it waits";
  recorder_may_go_on.count_down();
}

TEST(ExperimentEnd, RecordsTheQueue) {
  constexpr int kQueries = 500;
  int recorded = 0;
  {
    Experiment experiment(three_judged(),
                          {.arms = {"a"},
                           .recording = {.drain_interval = milliseconds(1000)},
                           .on_observation = [&](const Observation&) { ++recorded; }});
    const auto resolved = resolve(experiment);
    for (int i = 0; i < kQueries; ++i) {
      const QueryScope scope(experiment, TopicId("t1"));
      experiment.observe(served(ArmIndex(0), resolved, docids({1, 2})));
    }
  }
  EXPECT_EQ(recorded, kQueries);
}

TEST(ExperimentEnd, RecordsTheQueueWhileTheRecorderIsBusy) {
  std::latch is_recording(1), may_go_on(1);
  int recorded = 0;  // by the recorder thread, which has ended when it is read
  auto experiment = std::make_unique<Experiment>(
      three_judged(), ExperimentOptions{.arms = {"a"}, .on_observation = [&](const Observation&) {
                                          if (++recorded > 1) return;
                                          is_recording.count_down();
                                          may_go_on.wait();
                                        }});
  const auto resolved = resolve(*experiment);
  const auto serve = [&](const char* topic) {
    const QueryScope scope(*experiment, TopicId(topic));
    experiment->observe(served(ArmIndex(0), resolved, docids({1})));
  };
  serve("t1");
  is_recording.wait();
  serve("t1");
  serve("unjudged");
  std::jthread end([&] { experiment.reset(); });
  std::this_thread::sleep_for(milliseconds(50));  // the end is asked for
  may_go_on.count_down();
  end.join();
  EXPECT_EQ(recorded, 3);
}

TEST(ExperimentMatching, TableOfAnotherExperimentMatchesNothing) {
  Recorded recorded({}), other({});
  {
    const QueryScope scope(recorded.experiment, TopicId("t1"));
    recorded.experiment.observe(served(ArmIndex(0), other.resolved, docids({1})));
  }
  const auto summary = recorded.experiment.summary();
  EXPECT_EQ(summary->health.unmatched_rankings, 1U);
  ASSERT_EQ(recorded.seen.size(), 1U);
  EXPECT_EQ(recorded.seen[0].observation.topic, kUnjudgedTopic);
  EXPECT_EQ(recorded.seen[0].observation.generation, 0U) << "its generation is not one of ours";
  EXPECT_THROW(recorded.experiment.set_resolved(ArmIndex(0), other.resolved), Error);
}

TEST(ExperimentMatching, UnknownTopicIsNotMatched) {
  Recorded recorded({});
  {
    const QueryScope scope(recorded.experiment, TopicIndex(99));
    recorded.experiment.observe(recorded.ranking(docids({1})));
    recorded.experiment.observe({.kind = HitKind::kDocnos, .requested_depth = 10});
  }
  EXPECT_EQ(recorded.experiment.summary()->health.unmatched_rankings, 2U);
}

TEST(ExperimentMatching, FailureOfAnUnknownTopicIsUnjudged) {
  Recorded recorded({});
  const Visit visit = recorded.experiment.visit(TopicIndex(99));
  recorded.experiment.observe_failure(visit, ArmIndex(0), Experiment::SearchFailure::kFailed);
  EXPECT_EQ(recorded.experiment.summary()->arms[0].failed_queries, 1U);
  ASSERT_EQ(recorded.seen.size(), 1U);
  EXPECT_EQ(recorded.seen[0].observation.topic, kUnjudgedTopic);
}

}  // namespace
}  // namespace prescope
