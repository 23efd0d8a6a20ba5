// Docnos by which documents and judgements are matched.
#include <gmock/gmock.h>

#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;

std::vector<std::string> docnos_of(const std::vector<ServedHit>& served) {
  std::vector<std::string> docnos;
  for (const ServedHit& hit : served) docnos.push_back(hit.docno);
  return docnos;
}

TEST_P(Conformance, APatentInSeveralDocumentsCountsAtItsFirstRank) {
  if (!traits().duplicates) GTEST_SKIP() << "each document has a docno of its own";
  Watched watched({{"T1", "EP5B1"}, {"T1", "EP6"}}, {.docno = DocnoPolicy::kPatent});
  const std::vector<std::string> docnos = {"EP-5-B1", "EP4A1", "EP5A1", "EP6A1"};
  const auto subject = opened(served_in_order(docnos), watched.experiment());
  EXPECT_EQ(
      docnos_of(search_for(watched.experiment(), "T1", *subject->searcher("a"), {.word = "valve"})),
      docnos);
  // EP5 stands at ranks 1 and 3.
  EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 4));
  EXPECT_EQ(watched.seen().front().facts.duplicates, 1U);
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[0].duplicate_hits, 1U);
  // n = 2: ((10 + 1 - 1) + (10 + 2 - 4)) / (2 * 10).
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "PRES@10").value(), 18.0 / 20.0);
}

TEST_P(Conformance, TwoDocumentsOfOneDocnoCountAtTheFirstRank) {
  if (!traits().duplicates) GTEST_SKIP() << "each document has a docno of its own";
  Watched watched(Watched::Citations{{"T1", "EP7"}, {"T1", "EP8"}});
  const auto subject = opened(served_in_order({"EP9", "EP7", "EP8", "EP7"}), watched.experiment());
  search_for(watched.experiment(), "T1", *subject->searcher("a"), {.word = "valve"});
  EXPECT_THAT(watched.only_ranks(), ElementsAre(2, 3));
  EXPECT_EQ(watched.seen().front().facts.duplicates, 1U);
}

TEST_P(Conformance, DocnosInAnyScriptAndOfAnyLengthAreFound) {
  // One character of the second is outside the basic plane.
  const std::vector<std::string> docnos = {"ÄÖ-1", "特許\xF0\x9D\x94\x98-Ω", std::string(200, 'x')};
  Watched::Citations citations;
  for (const std::string& docno : docnos) citations.emplace_back("T1", docno);
  Watched watched(citations);
  const auto subject = opened(served_in_order(docnos), watched.experiment());
  EXPECT_EQ(
      docnos_of(search_for(watched.experiment(), "T1", *subject->searcher("a"), {.word = "valve"})),
      docnos);
  EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 2, 3));
}

TEST_P(Conformance, SimilarDocnosAreDistinguished) {
  Watched watched(Watched::Citations{{"T1", "EP10"}, {"T1", "ep12"}});
  const auto subject = opened(served_in_order({"EP1", "EP100", "EP10", "EP12", "ep12", "P10"}),
                              watched.experiment());
  search_for(watched.experiment(), "T1", *subject->searcher("a"), {.word = "valve"});
  EXPECT_THAT(watched.only_ranks(), ElementsAre(3, 5));
}

TEST_P(Conformance, ADocumentThatTheIndexLacksStaysJudgedAndIsReported) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  search_for(watched.experiment(), "T1", *subject->searcher("a"), {.word = "valve"});
  const auto summary = watched.experiment().summary();
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "R@10").value(), 2.0 / 3.0);
  ASSERT_EQ(summary->rows.size(), 1U);
  EXPECT_EQ(summary->rows[0].num_rel, 3U);
  EXPECT_EQ(summary->arms[1].relevant_missing, std::nullopt);  // never searched
  if (!traits().docids) return;
  EXPECT_EQ(summary->arms[0].relevant_missing, 1U);
  EXPECT_EQ(summary->rows[0].arms[0].missing, 1U);
  ASSERT_EQ(subject->resolved()->missing_keys().size(), 1U);
  EXPECT_EQ(watched.experiment().judged().key(subject->resolved()->missing_keys()[0]), "EP99");
}

}  // namespace
}  // namespace prescope::conformance
