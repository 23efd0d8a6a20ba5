// Rankings served from a run file, and their recorded observations.
#include <chrono>

#include "conformance/run_file/observed_run_fixture.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using run_file::ObservedRun;
using run_file::RunSearcher;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(ObservedRunTest, RankingFollowsTheScores) {
  const auto run = opened_tonight();
  EXPECT_THAT(serve(run->searcher("a"), {.topic = "T1"}), ElementsAre("EP3", "EP2", "EP1"));
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(2, 3));
}

TEST_F(ObservedRunTest, RankingFollowsTheLinesIfAskedFor) {
  write(kTonight);
  const auto run = opened(RunOrder::kFile);
  EXPECT_THAT(serve(run->searcher("a"), {.topic = "T1"}), ElementsAre("EP1", "EP3", "EP2"));
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(1, 3));
}

TEST_F(ObservedRunTest, ObservationHoldsTheServedRanking) {
  const auto run = opened_tonight();
  const RunSearcher searcher = run->searcher("b");
  serve(searcher, {.topic = "T1", .depth = 7});
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 1U);
  const Observation& facts = seen[0].facts;
  EXPECT_EQ(facts.arm, ArmIndex{1});
  EXPECT_EQ(facts.generation, searcher.generation());
  EXPECT_GT(facts.generation, 0U);
  EXPECT_EQ(facts.depth, 7U);
  EXPECT_EQ(facts.num_ret, 3U);
  EXPECT_EQ(facts.documents, 0U);
  EXPECT_EQ(facts.total_hits, 0U);
  EXPECT_EQ(facts.flags, RankingFlags::kUntimed);
}

TEST_F(ObservedRunTest, SecondQueryOfAScopeIsTimedFromItsOwnStart) {
  const auto run = opened_tonight();
  const RunSearcher searcher = run->searcher("a");
  const auto before = std::chrono::steady_clock::now();
  {
    QueryScope scope(watched_.experiment(), TopicId{"T1"});
    EXPECT_EQ(searcher.serve({.topic = "T1"}), searcher.serve({.topic = "T1"}));
  }
  const auto whole = std::chrono::steady_clock::now() - before;
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_LE(seen[0].facts.latency + seen[1].facts.latency, whole);
}

TEST_F(ObservedRunTest, TopicOutsideTheRunFindsNothing) {
  const auto run = opened_tonight();
  EXPECT_THAT(serve(run->searcher("a"), {.topic = "T3"}), IsEmpty());
  const auto summary = watched_.experiment().summary();
  ASSERT_EQ(summary->rows.size(), 1U);
  const TopicRow::Arm& arm = summary->rows[0].arms[0];
  EXPECT_EQ(summary->rows[0].id, TopicId{"T3"});
  EXPECT_TRUE(arm.exhausted);
  ASSERT_FALSE(arm.scores.empty());
  for (const auto& score : arm.scores) EXPECT_EQ(score, 0.0);
}

TEST_F(ObservedRunTest, SimilarTopicIdsAreDistinguished) {
  const auto run = opened_tonight();
  // In the order of their bytes: before T1, between T1 and T2, behind T2.
  for (const char* topic : {"T", "T01", "T1 ", "T10", "t1", ""}) {
    EXPECT_THAT(serve(run->searcher("a"), {.topic = topic}), IsEmpty()) << topic;
  }
}

TEST_F(ObservedRunTest, DepthsAndRanksOfZeroAreRefused) {
  const auto run = opened_tonight();
  const RunSearcher searcher = run->searcher("a");
  expect_error(ErrorCode::kUsage, "depth 0 from rank 1",
               [&] { return searcher.serve({.topic = "T1", .depth = 0}); });
  expect_error(ErrorCode::kUsage, "depth 5 from rank 0",
               [&] { return searcher.serve({.topic = "T1", .depth = 5, .first_rank = 0}); });
}

TEST_F(ObservedRunTest, ALookUpThatThrowsIsCountedAsFailed) {
  const auto run = opened_tonight();
  const RunSearcher searcher = run->searcher("b");
  expect_error(ErrorCode::kUsage, "depth 0",
               [&] { return serve(searcher, {.topic = "T1", .depth = 0}); });
  EXPECT_THAT(watched_.seen(), IsEmpty());
  ASSERT_EQ(watched_.failures().size(), 1U);
  EXPECT_TRUE(has(watched_.failures()[0].flags, RankingFlags::kFailed));
  EXPECT_EQ(watched_.experiment().summary()->arms[1].failed_queries, 1U);
}

TEST_F(ObservedRunTest, ExcludedDocumentsAreLeftOutUnderTheDocnoPolicyAndTheRestMovesUp) {
  write("T1 Q0 EP-0000001-A1 1 5 e\nT1 Q0 EP2B1 2 4 e\nT1 Q0 EP1B1 3 3 e\nT1 Q0 EP3A 4 2 e\n");
  Watched watched(Watched::Citations{{"T1", "EP2"}, {"T1", "EP3"}},
                  {.docno = DocnoPolicy::kPatent});
  const ObservedRun run(file(), RunOrder::kTrec, watched.experiment());
  const RunSearcher searcher = run.searcher("a");
  const std::vector<Docno> exclude = {Docno{"EP1"}, Docno{"EP77"}};
  QueryScope scope(watched.experiment(), TopicId{"T1"});
  EXPECT_THAT(searcher.serve({.topic = "T1", .exclude = exclude}), ElementsAre("EP2B1", "EP3A"));
  EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 2));
  EXPECT_THAT(searcher.serve({.topic = "T1", .depth = 1, .first_rank = 2, .exclude = exclude}),
              ElementsAre("EP3A"));
}

TEST_F(ObservedRunTest, MalformedRunIsRefusedWithItsLine) {
  expect_error(ErrorCode::kIo, "engine.run", [&] { return opened(); });
  write("");
  expect_error(ErrorCode::kBadInput, "no rankings", [&] { return opened(); });
  write("T1 Q0 EP1 1 1 engine\nT1 EP2 2\n");
  expect_error(ErrorCode::kBadInput, "engine.run:2: 3 columns", [&] { return opened(); });
  fs::remove(file());
  fs::create_directory(file());
  expect_error(ErrorCode::kIo, "engine.run", [&] { return opened(); });
}

}  // namespace
}  // namespace prescope::conformance
