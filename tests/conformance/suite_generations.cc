// An index that changes while searchers stay open.
#include <gmock/gmock.h>

#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;

const Request kValve{.word = "valve"};

/// Returns the ranks of T1's documents in the next search of arm "a", after comparing them with the
/// definition.
std::vector<Rank> ranks_of(Watched& watched, SubjectSearcher& searcher) {
  const auto served = search_for(watched.experiment(), "T1", searcher, kValve);
  const std::vector<Seen> seen = watched.seen();
  EXPECT_FALSE(seen.empty());
  if (seen.empty()) return {};
  EXPECT_EQ(seen.back().hits, judged_among(watched.experiment(), "T1", served));
  return seen.back().ranks();
}

std::uint64_t missing(Watched& watched) {
  return watched.experiment().summary()->arms[0].relevant_missing.value_or(0);
}

TEST_P(Conformance, AddedDocumentIsFoundAfterAReopen) {
  Watched watched(Watched::Citations{{"T1", "EP2"}, {"T1", "EP4"}});
  const auto subject = opened(valves(3), watched.experiment());
  EXPECT_THAT(ranks_of(watched, *subject->searcher("a")), ElementsAre(2));  // EP3, EP2, EP1
  EXPECT_EQ(missing(watched), traits().docids ? 1U : 0U);
  subject->add({valves(4).back()});
  EXPECT_TRUE(subject->reopen());
  EXPECT_THAT(ranks_of(watched, *subject->searcher("a")), ElementsAre(1, 3));
  EXPECT_EQ(missing(watched), 0U);
}

TEST_P(Conformance, RemovedDocumentIsReportedMissing) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  EXPECT_THAT(ranks_of(watched, *subject->searcher("a")), ElementsAre(2, 5));
  subject->remove("EP4");
  EXPECT_TRUE(subject->reopen());
  EXPECT_THAT(ranks_of(watched, *subject->searcher("a")), ElementsAre(4));  // EP5, 3, 2, 1
  if (!traits().docids) return;
  EXPECT_EQ(missing(watched), 2U);  // EP4 and EP99
  EXPECT_EQ(subject->resolved()->collection_size(), 4U);
}

TEST_P(Conformance, CompactingAfterRemovalsKeepsTheMatches) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(8), watched.experiment());
  for (const char* docno : {"EP2", "EP3", "EP8"}) subject->remove(docno);
  subject->compact();
  EXPECT_TRUE(subject->reopen());
  // EP7, EP6, EP5, EP4, EP1
  EXPECT_THAT(ranks_of(watched, *subject->searcher("a")), ElementsAre(4, 5));
}

TEST_P(Conformance, AnIndexThatHasNotChangedKeepsItsGeneration) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto resolved = subject->resolved();
  EXPECT_FALSE(subject->reopen());
  EXPECT_EQ(subject->resolved(), resolved);
  subject->remove("EP3");
  EXPECT_TRUE(subject->reopen());
  EXPECT_FALSE(subject->reopen());
}

TEST_P(Conformance, GenerationsAreDistinctAndGrow) {
  if (!traits().docids) GTEST_SKIP() << "the engine serves docnos: there is nothing to resolve";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  std::uint64_t latest = 0;
  const auto expect_newer = [&] {
    EXPECT_GT(subject->resolved()->generation(), latest);
    latest = subject->resolved()->generation();
    static_cast<void>(ranks_of(watched, *subject->searcher("a")));
    EXPECT_EQ(watched.seen().back().facts.generation, latest);
  };
  expect_newer();
  subject->remove("EP3");
  subject->reopen();
  expect_newer();
  subject->compact();
  if (subject->reopen()) expect_newer();
  subject->add({valves(6).back()});
  subject->reopen();
  expect_newer();
}

TEST_P(Conformance, OldSearcherIsMatchedCorrectlyAfterAReopen) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto old_searcher = subject->searcher("a");
  const std::vector<ServedHit> before = old_searcher->search_unobserved(kValve);
  const auto old_resolved = subject->resolved();
  // EP4 and EP5 take the docids of others.
  for (const char* docno : {"EP1", "EP2", "EP3"}) subject->remove(docno);
  subject->compact();
  ASSERT_TRUE(subject->reopen());
  const std::vector<Rank> new_ranks = ranks_of(watched, *subject->searcher("a"));
  EXPECT_THAT(new_ranks, ElementsAre(2));  // EP5, EP4
  const std::vector<Rank> old_ranks = ranks_of(watched, *old_searcher);
  if (!traits().keeps_generations) return;
  EXPECT_EQ(old_searcher->search_unobserved(kValve), before);
  EXPECT_THAT(old_ranks, ElementsAre(2, 5));
  if (!traits().docids) return;
  EXPECT_EQ(watched.seen().back().facts.generation, old_resolved->generation());
  EXPECT_EQ(watched.seen().back().facts.documents, 5U);
}

TEST_P(Conformance, CollectionSizeIsThatOfTheServedState) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto expect_size = [&](std::uint64_t documents) {
    static_cast<void>(ranks_of(watched, *subject->searcher("a")));
    const std::uint64_t size = watched.seen().back().facts.documents;
    // With docnos the adapter may not know it.
    EXPECT_TRUE(size == documents || (size == 0 && !traits().docids)) << size;
  };
  expect_size(5);
  subject->add({valves(6).back()});
  subject->reopen();
  expect_size(6);
  subject->remove("EP2");
  subject->remove("EP3");
  subject->reopen();
  expect_size(4);
  subject->compact();
  subject->reopen();
  expect_size(4);
}

TEST_P(Conformance, ChangeUnderAnOpenSearcherIsNoticed) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  EXPECT_THAT(ranks_of(watched, *searcher), ElementsAre(2, 5));
  const Observation before = watched.seen().back().facts;
  // EP4 takes another docid.
  subject->remove("EP4");
  subject->add({valves(4).back(), valves(6).back()});
  if (!subject->change_under_searchers()) GTEST_SKIP() << "an open searcher serves one state";
  const auto served = search_for(watched.experiment(), "T1", *searcher, kValve);
  ASSERT_EQ(served.size(), 6U) << "the engine has not gone on";
  const Health health = watched.experiment().summary()->health;
  // It is matched correctly, or not matched and counted.
  if (health.unmatched_rankings + health.adapter_failures == 0) {
    const std::vector<Seen> seen = watched.seen();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen.back().hits, judged_among(watched.experiment(), "T1", served));
    EXPECT_GT(seen.back().facts.generation, before.generation);
    EXPECT_THAT(seen.back().facts.documents, testing::AnyOf(6U, 0U));
  }
  EXPECT_TRUE(subject->reopen());
  // EP6, EP5, EP4, EP3, EP2, EP1
  EXPECT_THAT(ranks_of(watched, *subject->searcher("a")), ElementsAre(3, 6));
}

TEST_P(Conformance, EmptyIndexResolvesOnceDocumentsAreAdded) {
  if (!traits().docids) GTEST_SKIP() << "the engine serves docnos: there is nothing to resolve";
  Watched watched(valve_citations());
  const auto subject = opened({}, watched.experiment());
  EXPECT_EQ(subject->resolved()->missing_keys().size(), 4U);  // EP1, EP4, EP5, EP99
  EXPECT_TRUE(ranks_of(watched, *subject->searcher("a")).empty());
  subject->add(valves(5));
  EXPECT_TRUE(subject->reopen());
  EXPECT_THAT(ranks_of(watched, *subject->searcher("a")), ElementsAre(2, 5));
  EXPECT_EQ(subject->resolved()->missing_keys().size(), 1U);
}

}  // namespace
}  // namespace prescope::conformance
