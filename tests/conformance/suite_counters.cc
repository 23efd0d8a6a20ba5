// Counters of an experiment beside the rankings, and the plugin's own time.
#include <gmock/gmock.h>

#include "conformance/suite.h"
#include "prescope/error.h"

namespace prescope::conformance {
namespace {

using testing::IsEmpty;

TEST_P(Conformance, EachQuerysLatencyAndThePluginsOwnTimeAreKept) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  constexpr std::size_t kQueries = 20;
  std::vector<std::chrono::nanoseconds> around;
  for (std::size_t i = 0; i < kQueries; ++i) {
    const auto began = std::chrono::steady_clock::now();
    search_for(watched.experiment(), "T1", *searcher, {.word = "valve"});
    around.push_back(std::chrono::steady_clock::now() - began);
  }
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), kQueries);
  for (std::size_t i = 0; i < kQueries; ++i) {
    const Observation& facts = seen[i].facts;
    EXPECT_GT(facts.latency.count(), 0);
    EXPECT_GT(facts.self_time.count(), 0);
    // By the same clock. The time that opening the scope took is in both.
    EXPECT_LE(facts.latency, around[i]);
    EXPECT_LE(facts.self_time, around[i]);
  }
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[0].judged_queries, kQueries);
  EXPECT_EQ(summary->arms[0].latency.count, subject->traits().timed ? kQueries : 0U);
  EXPECT_GT(summary->arms[0].self_p50_us.value_or(0.0), 0.0);
  EXPECT_GE(summary->arms[0].self_p99_us.value_or(0.0), *summary->arms[0].self_p50_us);
  EXPECT_EQ(summary->health.pushed, kQueries);
  EXPECT_EQ(summary->health.recorded, kQueries);
}

TEST_P(Conformance, SearchWithoutAScopeIsOnlyCounted) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  EXPECT_EQ(subject->searcher("a")->search({.word = "valve"}).size(), 5U);
  EXPECT_THAT(watched.seen(), IsEmpty());
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->health.queries_without_scope, 1U);
  EXPECT_EQ(summary->health.pushed, 0U);
}

TEST_P(Conformance, ScopeOfAnotherExperimentIsIgnored) {
  Watched watched(valve_citations());
  Watched other(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  search_for(other.experiment(), "T1", *subject->searcher("a"), {.word = "valve"});
  EXPECT_THAT(watched.seen(), IsEmpty());
  EXPECT_THAT(other.seen(), IsEmpty());
  EXPECT_EQ(watched.experiment().summary()->health.queries_without_scope, 1U);
  EXPECT_EQ(other.experiment().summary()->health.queries_without_ranking, 1U);
}

TEST_P(Conformance, TopicWithoutJudgementsHasOnlyItsLatencyRecorded) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  search_for(watched.experiment(), "unheard of", *subject->searcher("a"), {.word = "valve"});
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[0].unjudged_queries, 1U);
  EXPECT_EQ(summary->arms[0].judged_queries, 0U);
  EXPECT_EQ(summary->arms[0].latency.count, subject->traits().timed ? 1U : 0U);
  EXPECT_THAT(summary->rows, IsEmpty());
}

TEST_P(Conformance, ScopesOfAVisitMayNest) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  {
    const QueryScope outer(watched.experiment(), TopicId{"T2"});
    {
      const QueryScope inner(watched.experiment(), outer.visit());
      searcher->search({.word = "valve"});
    }
    searcher->search({.word = "valve"});
  }
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), 2U);
  for (const Seen& one : seen) {
    EXPECT_EQ(one.facts.topic, watched.experiment().qrels().find("T2"));
    EXPECT_EQ(one.hits, (std::vector<JudgedHit>{{1, JudgementIndex{0}}}));  // EP5
  }
}

TEST_P(Conformance, AScopeMayNameTheArm) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  for (const char* arm : {"b", "no such arm"}) {
    const QueryScope scope(watched.experiment(), TopicId{"T1"}, {.arm = arm});
    searcher->search({.word = "valve"});
  }
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].facts.arm, watched.experiment().arm("b"));
  EXPECT_EQ(seen[1].facts.arm, watched.experiment().arm("a"));
  EXPECT_EQ(watched.experiment().summary()->health.unknown_arm, 1U);
}

TEST_P(Conformance, AnUnknownArmHasNoSearcher) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  EXPECT_THROW(static_cast<void>(subject->searcher("c")), Error);
}

}  // namespace
}  // namespace prescope::conformance
