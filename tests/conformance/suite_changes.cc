// Arms and judgements that change while the index is being served.
#include <gmock/gmock.h>

#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;

/// Returns the recorded ranks of T1's citations in a search by this searcher.
std::vector<Rank> recorded_ranks(Watched& watched, SubjectSearcher& searcher) {
  search_for(watched.experiment(), "T1", searcher, {.word = "valve"});
  return watched.seen().back().ranks();
}

/// T1 cites EP3 too, at rank 3 of valves(5), and no longer EP4, which is at rank 2.
JudgementChanges other_citations() {
  return {.judged = {{TopicId{"T1"}, Docno{"EP3"}, 1}},
          .withdrawn = {{TopicId{"T1"}, Docno{"EP4"}}}};
}

TEST_P(Conformance, ArmAddedLaterIsServedLikeTheOthers) {
  Watched watched(valve_citations());
  Experiment& experiment = watched.experiment();
  const auto subject = opened(valves(5), experiment);
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("a")), ElementsAre(2, 5));
  const ArmIndex added = experiment.add_arm("c");
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("c")), ElementsAre(2, 5));
  EXPECT_EQ(watched.seen().back().facts.arm, added);
  const auto missing = [&] {
    return experiment.summary()->arms[added.value()].relevant_missing.value_or(0);
  };
  EXPECT_EQ(missing(), traits().docids ? 1U : 0U);  // EP99

  subject->remove("EP4");
  EXPECT_TRUE(subject->reopen());
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("c")), ElementsAre(4));
  EXPECT_EQ(missing(), traits().docids ? 2U : 0U);
}

TEST_P(Conformance, NewJudgementsAreMatchedAfterReopeningAnUnchangedIndex) {
  Watched watched(valve_citations());
  Experiment& experiment = watched.experiment();
  const auto subject = opened(valves(5), experiment);
  const auto before = subject->resolved();
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("a")), ElementsAre(2, 5));
  const std::uint64_t generation = watched.seen().back().facts.generation;

  experiment.rejudge(other_citations());
  // Docnos are matched with the present judgements; docids wait for a table.
  EXPECT_EQ(subject->reopen(), traits().docids);
  EXPECT_FALSE(subject->reopen());
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("a")), ElementsAre(3, 5));
  const Observation latest = watched.seen().back().facts;
  EXPECT_EQ(latest.judgements_version, 1U);
  EXPECT_EQ(latest.generation, generation);  // the index is the one it was
  if (!traits().docids) return;
  EXPECT_NE(subject->resolved(), before);
  EXPECT_EQ(subject->resolved()->generation(), before->generation());
  EXPECT_EQ(&subject->resolved()->judged(), &experiment.judged());
  EXPECT_EQ(experiment.summary()->health.adapter_failures, 0U);
}

TEST_P(Conformance, OldSearcherIsMatchedWithItsOwnJudgements) {
  if (!traits().docids) GTEST_SKIP() << "docnos are matched by what is judged now";
  if (!traits().keeps_generations) GTEST_SKIP() << "searchers share their database's table";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto old_searcher = subject->searcher("a");
  watched.experiment().rejudge(other_citations());
  EXPECT_TRUE(subject->reopen());
  EXPECT_THAT(recorded_ranks(watched, *old_searcher), ElementsAre(2, 5));
  EXPECT_EQ(watched.seen().back().facts.judgements_version, 0U);
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("a")), ElementsAre(3, 5));
}

TEST_P(Conformance, JudgementsAndIndexMayChangeAtOnce) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("a")), ElementsAre(2, 5));
  const std::uint64_t generation = watched.seen().back().facts.generation;
  watched.experiment().rejudge(other_citations());
  subject->add({valves(6).back()});
  subject->remove("EP2");
  EXPECT_TRUE(subject->reopen());
  EXPECT_FALSE(subject->reopen());
  // EP6, EP5, EP4, EP3, EP1
  EXPECT_THAT(recorded_ranks(watched, *subject->searcher("a")), ElementsAre(4, 5));
  const Observation latest = watched.seen().back().facts;
  EXPECT_GT(latest.generation, generation);
  EXPECT_EQ(latest.judgements_version, 1U);
}

}  // namespace
}  // namespace prescope::conformance
