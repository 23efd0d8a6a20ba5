#include "prescope/ranking_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <latch>
#include <stdexcept>
#include <thread>

#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Qrels two_topics() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")},
                                                    {TopicId("t1"), Docno("d2")},
                                                    {TopicId("t1"), Docno("d3"), 0},
                                                    {TopicId("t2"), Docno("d2")},
                                                    {TopicId("t2"), Docno("d5000")}});
}

ExperimentOptions small() { return {.arms = {"a", "b"}, .cutoffs = {10}}; }

std::vector<DocId> ids(std::initializer_list<std::uint32_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

class ExperimentTest : public ::testing::Test {
 protected:
  Experiment experiment_{two_topics(), small()};
  std::shared_ptr<const ResolvedQrels> resolved_ = resolve(experiment_);

  void serve(const char* topic, std::uint32_t arm, const std::vector<DocId>& docids) {
    const QueryScope scope(experiment_, TopicId(topic));
    experiment_.observe(served(ArmIndex(arm), resolved_, docids));
  }
};

TEST_F(ExperimentTest, KeepsPresRecallAndApOfATopic) {
  serve("t1", 0, ids({9, 1, 3, 2}));
  const auto summary = experiment_.summary();
  ASSERT_EQ(summary->rows.size(), 1U);
  const TopicRow::Arm& row = summary->rows[0].arms[0];
  EXPECT_THAT(row.relevant_ranks, ElementsAre(2, 4)) << "d3 is judged, and not relevant";
  // PRES@10 = ((10+1-2) + (10+2-4)) / (2*10); R = 2/2; AP = (1/2 + 2/4) / 2.
  EXPECT_THAT(row.scores, ElementsAre(17.0 / 20.0, 1.0, 0.5));
}

TEST(Experiment, GmapIsAGeometricMean) {
  Experiment experiment(two_topics(), {.arms = {"a"}, .measures = {"GMAP", "AP"}});
  const auto resolved = resolve(experiment);
  const auto serve = [&](const char* topic, const std::vector<DocId>& docids) {
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe(served(ArmIndex(0), resolved, docids));
  };
  serve("t1", ids({1, 2}));  // AP = 1
  serve("t2", ids({9, 2}));  // AP = (1 / 2) / 2: d5000 is not in the index
  const auto summary = experiment.summary();
  EXPECT_DOUBLE_EQ(summary->arms[0].means[0].mean.value(), 0.5) << "sqrt(1 * 1/4)";
  EXPECT_DOUBLE_EQ(summary->arms[0].means[1].mean.value(), 0.625);
  serve("t2", ids({9, 8}));  // AP = 0, so that t2 has (1/4 + 0) / 2
  EXPECT_DOUBLE_EQ(experiment.summary()->arms[0].means[0].mean.value(), std::sqrt(0.125))
      << "the mean over visits is arithmetic, that over topics geometric";
}

TEST(Experiment, GeometricMeanReplacesZeroByASmallScore) {
  Experiment experiment(two_topics(), {.arms = {"a"}, .measures = {"GMAP"}});
  const auto resolved = resolve(experiment);
  const QueryScope scope(experiment, TopicId("t2"));
  experiment.observe(served(ArmIndex(0), resolved, ids({9, 8})));
  const auto summary = experiment.summary();
  EXPECT_NEAR(summary->arms[0].means[0].mean.value(), 1e-5, 1e-20);
  EXPECT_NEAR(summary->arms[0].means[0].mean_over_all.value(), 1e-5, 1e-20) << "t1 counts alike";
}

TEST_F(ExperimentTest, KeepsAMissingCitationInTheDenominatorAndReportsIt) {
  serve("t2", 0, ids({2}));
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->rows[0].arms[0].scores[1], 0.5) << "recall: d5000 is not in the index";
  EXPECT_EQ(summary->rows[0].arms[0].missing, 1U);
  EXPECT_EQ(summary->arms[0].relevant_missing, 1U);
}

TEST_F(ExperimentTest, AbandonedRankingIsCountedAndNotRecorded) {
  const std::vector<DocId> docids = ids({9, 1});
  {
    const QueryScope scope(experiment_, TopicId("t1"));
    RankingObserver observer(experiment_, served(ArmIndex(0), resolved_, docids));
    observer.abandon();
    EXPECT_FALSE(observer.wants_hits());
    observer.add(docids);  // no effect
  }
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->health.adapter_failures, 1U);
  EXPECT_EQ(summary->health.pushed, 0U);
  EXPECT_EQ(summary->health.recorded, 0U);
  EXPECT_EQ(summary->arms[0].judged_queries, 0U);
  EXPECT_EQ(summary->arms[0].latency.count, 0U);
  serve("t1", 0, docids);
  EXPECT_EQ(experiment_.summary()->health.recorded, 1U);
}

TEST(Experiment, LatencyEndsAtTheAdaptersTimeOfTheAnswer) {
  std::vector<std::chrono::nanoseconds> latencies;
  ExperimentOptions options = small();
  options.on_observation = [&](const Observation& one) { latencies.push_back(one.latency); };
  Experiment experiment(two_topics(), options);
  const auto began = std::chrono::steady_clock::now();
  {
    const QueryScope scope(experiment, TopicId("t1"));
    const std::vector<std::string_view> docnos = {"d1"};
    const Ranking first{.arm = ArmIndex(0),
                        .kind = HitKind::kDocnos,
                        .docnos = docnos,
                        .requested_depth = 10,
                        .search_started = began};
    experiment.observe(first);
    Ranking second = first;  // the second of a scope is timed from its own search
    second.search_ended = began + std::chrono::microseconds(7);
    experiment.observe(second);
  }
  experiment.flush();
  ASSERT_EQ(latencies.size(), 2U);
  EXPECT_EQ(latencies[1], std::chrono::microseconds(7));
}

TEST(Experiment, DocnoRankingsCarryGenerationAndCollectionSize) {
  std::vector<Observation> seen;
  ExperimentOptions options = small();
  options.on_observation = [&](const Observation& one) { seen.push_back(one); };
  Experiment experiment(two_topics(), options);
  {
    const QueryScope scope(experiment, TopicId("t1"));
    const std::vector<std::string_view> docnos = {"d1"};
    experiment.observe({.arm = ArmIndex(0),
                        .kind = HitKind::kDocnos,
                        .generation = 7,
                        .collection_size = 80,
                        .docnos = docnos,
                        .requested_depth = 10});
  }
  experiment.flush();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].generation, 7U);
  EXPECT_EQ(seen[0].documents, 80U);
}

TEST_F(ExperimentTest, CountsTheFirstRankOfADocumentWithSeveralDocids) {
  const auto copies = resolve(experiment_, {{0, DocId(700)}});  // d1 is also docid 700
  const QueryScope scope(experiment_, TopicId("t1"));
  experiment_.observe(served(ArmIndex(0), copies, ids({700, 1, 2})));
  const auto summary = experiment_.summary();
  EXPECT_THAT(summary->rows[0].arms[0].relevant_ranks, ElementsAre(1, 3));
  EXPECT_EQ(summary->arms[0].duplicate_hits, 1U);
}

TEST_F(ExperimentTest, CountsADocidThatIsServedTwiceOnce) {
  serve("t1", 0, ids({1, 1, 2, 2, 1}));
  const auto summary = experiment_.summary();
  EXPECT_THAT(summary->rows[0].arms[0].relevant_ranks, ElementsAre(1, 3));
  EXPECT_EQ(summary->arms[0].duplicate_hits, 3U);
}

TEST_F(ExperimentTest, MatchesDocnosLikeDocids) {
  serve("t1", 0, ids({9, 1, 3, 2}));
  const std::vector<std::string_view> docnos{"d9", "d1", "d3", "d2", "d1"};
  {
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe(
        {.arm = ArmIndex(1), .kind = HitKind::kDocnos, .docnos = docnos, .requested_depth = 10});
  }
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->rows[0].arms[1].scores, summary->rows[0].arms[0].scores);
  EXPECT_EQ(summary->arms[1].duplicate_hits, 1U);
}

// A host that fills one struct for both kinds: the docids took the first ranks of the docnos.
TEST_F(ExperimentTest, TakesTheHitsOfTheRankingsKindOnly) {
  const std::vector<DocId> docids = ids({9, 8});
  const std::vector<std::string_view> docnos{"d1", "d9", "d2"};
  {
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe({.arm = ArmIndex(1),
                         .kind = HitKind::kDocnos,
                         .docids = docids,
                         .docnos = docnos,
                         .requested_depth = 10});
  }
  EXPECT_THAT(experiment_.summary()->rows[0].arms[1].relevant_ranks, ElementsAre(1, 3));
}

TEST_F(ExperimentTest, RankingInPartsCountsAsOne) {
  const std::vector<DocId> all = ids({9, 1, 3, 2});
  {
    const QueryScope scope(experiment_, TopicId("t1"));
    RankingObserver observer(experiment_, served(ArmIndex(0), resolved_, {}));
    observer.add(std::span(all).first(2));
    observer.add(std::span(all).subspan(2));
  }
  const auto summary = experiment_.summary();
  EXPECT_THAT(summary->rows[0].arms[0].relevant_ranks, ElementsAre(2, 4));
  EXPECT_EQ(summary->rows[0].arms[0].num_ret, 4U);
  EXPECT_EQ(summary->arms[0].judged_queries, 1U);
}

TEST_F(ExperimentTest, ScoresAnEmptyRankingAsNothingFound) {
  serve("t1", 0, {});
  const auto summary = experiment_.summary();
  EXPECT_THAT(summary->rows[0].arms[0].scores, ElementsAre(0.0, 0.0, 0.0));
}

TEST_F(ExperimentTest, CountsQueriesOutsideAnyScope) {
  experiment_.observe(served(ArmIndex(0), resolved_, ids({1})));
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->health.queries_without_scope, 1U);
  EXPECT_EQ(summary->health.pushed, 0U);
}

TEST_F(ExperimentTest, IgnoresScopesOfAnotherExperiment) {
  Experiment other(two_topics(), small());
  const QueryScope scope(other, TopicId("t1"));
  experiment_.observe(served(ArmIndex(0), resolved_, ids({1})));
  EXPECT_EQ(experiment_.summary()->health.queries_without_scope, 1U);
  EXPECT_TRUE(other.summary()->rows.empty());
}

TEST_F(ExperimentTest, KeepsTheLatencyOfUnjudgedTopicsOnly) {
  serve("nobody judged this", 1, ids({1}));
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->arms[1].unjudged_queries, 1U);
  EXPECT_EQ(summary->arms[1].latency.count, 1U);
  EXPECT_TRUE(summary->rows.empty());
}

TEST_F(ExperimentTest, ArmOfTheScopeWins) {
  {
    const QueryScope scope(experiment_, TopicId("t1"), {.arm = "b"});
    experiment_.observe(served(ArmIndex(0), resolved_, ids({1})));
  }
  {
    const QueryScope scope(experiment_, TopicId("t1"), {.arm = "bb"});
    experiment_.observe(served(ArmIndex(0), resolved_, ids({1})));
  }
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->arms[0].judged_queries, 1U);
  EXPECT_EQ(summary->arms[1].judged_queries, 1U);
  EXPECT_EQ(summary->health.unknown_arm, 1U);
}

TEST_F(ExperimentTest, TimesTheFirstRankingOfAScopeFromItsStart) {
  using std::chrono::milliseconds;
  const QueryScope scope(experiment_, TopicId("t1"));
  std::this_thread::sleep_for(milliseconds(20));
  experiment_.observe(served(ArmIndex(0), resolved_, ids({1})));  // its search began just now
  experiment_.observe(served(ArmIndex(1), resolved_, ids({1})));
  const auto summary = experiment_.summary();
  EXPECT_GE(summary->arms[0].latency.max_ms, 20.0);
  EXPECT_LT(summary->arms[1].latency.max_ms, summary->arms[0].latency.max_ms);
}

TEST_F(ExperimentTest, CountsScopesThatEndWithoutARanking) {
  { const QueryScope scope(experiment_, TopicId("t1")); }
  EXPECT_EQ(experiment_.summary()->health.queries_without_ranking, 1U);
}

TEST_F(ExperimentTest, CountsDocidsWithoutATableAndMatchesNothing) {
  serve("t1", 0, ids({1, 2}));
  const QueryScope scope(experiment_, TopicId("t2"));
  experiment_.observe(served(ArmIndex(0), nullptr, ids({2})));
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->health.unmatched_rankings, 1U);
  EXPECT_EQ(summary->rows.size(), 1U);
}

TEST_F(ExperimentTest, ComparesTopicByTopicAndNamesTheCitationsThatMoved) {
  serve("t1", 0, ids({1, 9, 8, 2}));  // PRES (10 + 10+2-4) / 20 = 0.9
  serve("t1", 1, ids({9, 2}));        // PRES (10+1-2) / 20 = 0.45
  serve("t2", 0, ids({9}));
  serve("t2", 1, ids({2}));
  const auto summary = experiment_.summary();
  const ArmPair& pair = summary->pairs.at(0);
  const MeasureDifference& pres = pair.differences[0];
  EXPECT_EQ(pres.wins, 1U);
  EXPECT_EQ(pres.losses, 1U);
  EXPECT_NEAR(*pres.mean, (-0.45 + 0.5) / 2, 1e-12);
  EXPECT_FALSE(pres.live) << "nobody chose at random which arm served a visit";

  ASSERT_EQ(pair.moves.size(), 2U);
  EXPECT_EQ(pair.moves[0].topic, TopicId("t2")) << "0.5 is more than 0.45";
  const TopicMove& t1 = pair.moves[1];
  ASSERT_EQ(t1.citations.size(), 2U);
  EXPECT_EQ(t1.citations[0].docno, Docno("d1"));
  EXPECT_EQ(t1.citations[0].rank_a, 1U);
  EXPECT_EQ(t1.citations[0].rank_b, std::nullopt);
  EXPECT_NEAR(t1.citations[0].share, -10.0 / 20, 1e-12);
  EXPECT_NEAR(t1.citations[1].share, (9.0 - 8.0) / 20, 1e-12);
  EXPECT_NEAR(t1.citations[0].share + t1.citations[1].share, t1.difference, 1e-12);
}

TEST_F(ExperimentTest, CountsTopicsNeverSeenAsZeroInTheMeanOverAll) {
  serve("t1", 0, ids({1, 2}));
  const auto summary = experiment_.summary();
  const MeasureMean& pres = summary->arms[0].means[0];
  EXPECT_EQ(pres.topics, 1U);
  EXPECT_EQ(pres.mean, 1.0);
  EXPECT_EQ(pres.mean_over_all, 0.5);
}

TEST(ExperimentQrels, LeavesTopicsWithoutRelevantDocumentsOutOfEveryMean) {
  Experiment experiment(Qrels::from_lines(std::vector<Qrels::Line>{
                            {TopicId("none"), Docno("d1"), 0}, {TopicId("some"), Docno("d1")}}),
                        small());
  const auto resolved = resolve(experiment);
  for (const char* topic : {"none", "some"}) {
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe(served(ArmIndex(0), resolved, ids({1})));
  }
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->topics_without_relevant, 1U);
  EXPECT_EQ(summary->arms[0].means[0].topics, 1U);
  EXPECT_EQ(summary->arms[0].means[0].mean_over_all, 1.0);
  EXPECT_EQ(summary->rows[0].arms[0].scores[0], std::nullopt);
}

TEST(ExperimentQueue, DropsAndCountsWhenFullAndNeverBlocks) {
  std::latch recorder_is_busy(1);
  std::latch recorder_may_go_on(1);
  bool waited = false;
  ExperimentOptions options = small();
  options.recording.queue_bytes = std::size_t{64} << 10U;
  options.on_observation = [&](const Observation&) {
    if (std::exchange(waited, true)) return;
    recorder_is_busy.count_down();
    recorder_may_go_on.wait();
  };
  Experiment experiment(two_topics(), options);
  const auto resolved = resolve(experiment);
  const auto serve = [&] {
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(ArmIndex(0), resolved, ids({1})));
  };
  serve();
  recorder_is_busy.wait();
  constexpr std::uint64_t kQueries = 2000;
  for (std::uint64_t i = 1; i < kQueries; ++i) serve();
  recorder_may_go_on.count_down();
  const auto summary = experiment.summary();
  EXPECT_GT(summary->health.dropped_queue_full, 0U);
  EXPECT_EQ(summary->health.pushed + summary->health.dropped_queue_full, kQueries);
  EXPECT_EQ(summary->health.recorded, summary->health.pushed);
}

TEST(ExperimentListener, ReceivesTheFactsOfEachQuery) {
  std::vector<std::vector<JudgedHit>> hits;
  ExperimentOptions options = small();
  options.on_observation = [&](const Observation& seen) {
    hits.emplace_back(seen.hits.begin(), seen.hits.end());
  };
  {
    Experiment experiment(two_topics(), options);
    const auto resolved = resolve(experiment);
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(ArmIndex(0), resolved, ids({3, 9, 1})));
  }  // the end of the experiment records the queue
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_THAT(hits[0],
              ElementsAre(JudgedHit{1, JudgementIndex(2)}, JudgedHit{3, JudgementIndex(0)}));
}

TEST(ExperimentListener, ExceptionIsHarmless) {
  ExperimentOptions options = small();
  options.on_observation = [](const Observation&) { throw std::runtime_error("disk full"); };
  Experiment experiment(two_topics(), options);
  const auto resolved = resolve(experiment);
  {
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(ArmIndex(0), resolved, ids({1, 2})));
  }
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->health.listener_failures, 1U);
  EXPECT_EQ(summary->arms[0].means[0].mean, 1.0);
}

}  // namespace
}  // namespace prescope
