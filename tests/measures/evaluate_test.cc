#include "support/plain_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using TrecRun = prescope::Run;  // ::testing::Test has a Run of its own

Run::Topic ranking(const char* topic, std::initializer_list<const char*> docnos) {
  Run::Topic result{TopicId(topic), {}};
  for (const char* docno : docnos) result.docnos.emplace_back(docno);
  return result;
}

Qrels qrels(DocnoPolicy policy) {
  const Qrels::Line lines[] = {{TopicId("a"), Docno("EP-0000001-A1"), 1},
                               {TopicId("a"), Docno("EP-0000002-B1"), 2},
                               {TopicId("a"), Docno("EP-0000003-A1"), 0},
                               {TopicId("b"), Docno("EP-0000001-A1"), 1},
                               {TopicId("c"), Docno("EP-0000009-A1"), 0}};
  return Qrels::from_lines(lines, {.docno = policy});
}

TEST(Evaluate, ReturnsTheRanksOfRelevantDocuments) {
  // Rank 1 unjudged, 2 relevant, 3 judged not relevant, 4 relevant.
  const TrecRun run{"x", {ranking("a", {"EP7", "EP2B1", "EP3A1", "EP1A1"})}};
  const auto topics = evaluate(qrels(DocnoPolicy::kPublication), run);
  ASSERT_EQ(topics.size(), 1U);
  EXPECT_EQ(topics[0].topic, TopicIndex(0));
  EXPECT_EQ(topics[0].num_rel, 2U);
  EXPECT_EQ(topics[0].num_ret, 4U);
  EXPECT_THAT(topics[0].relevant_ranks, ElementsAre(2U, 4U));
  EXPECT_EQ(topics[0].duplicates, 0U);
  EXPECT_EQ(topics[0].ranks().num_rel, 2U);
  EXPECT_EQ(topics[0].ranks().relevant.data(), topics[0].relevant_ranks.data());
}

TEST(Evaluate, CountsADocumentOnceAtItsFirstRank) {
  // EP1 at 1 and 3, the unjudged EP7 at 2 and 4; EP2 keeps rank 5 of the list as served.
  const TrecRun run{"x", {ranking("a", {"EP1A1", "EP7", "EP1A1", "EP7", "EP2B1"})}};
  const auto topics = evaluate(qrels(DocnoPolicy::kPublication), run);
  EXPECT_THAT(topics[0].relevant_ranks, ElementsAre(1U, 5U));
  EXPECT_EQ(topics[0].duplicates, 2U);
  EXPECT_EQ(topics[0].num_ret, 5U);
}

TEST(Evaluate, MatchesUnderTheDocnoPolicy) {
  const TrecRun run{"x", {ranking("a", {"EP0000001B2", "EP-0000001-A1"})}};
  EXPECT_THAT(evaluate(qrels(DocnoPolicy::kRaw), run)[0].relevant_ranks, ElementsAre(2U));
  EXPECT_THAT(evaluate(qrels(DocnoPolicy::kPublication), run)[0].relevant_ranks, ElementsAre(2U));
  const auto patent = evaluate(qrels(DocnoPolicy::kPatent), run);
  EXPECT_THAT(patent[0].relevant_ranks, ElementsAre(1U));
  EXPECT_EQ(patent[0].duplicates, 1U);
}

TEST(Evaluate, ReturnsCommonTopicsInQrelsOrder) {
  const TrecRun run{"x", {ranking("0", {"EP1A1"}), ranking("b", {}), ranking("c", {"EP9A1"})}};
  const auto topics = evaluate(qrels(DocnoPolicy::kPublication), run);
  ASSERT_EQ(topics.size(), 2U);  // "0" is not judged, "a" was not searched
  EXPECT_EQ(topics[0].topic, TopicIndex(1));
  EXPECT_THAT(topics[0].relevant_ranks, IsEmpty());
  EXPECT_EQ(topics[1].topic, TopicIndex(2));
  EXPECT_EQ(topics[1].num_rel, 0U);  // nothing relevant, so no measure has a value
  EXPECT_THAT(evaluate(qrels(DocnoPolicy::kRaw), TrecRun{"x", {ranking("z", {"EP1"})}}), IsEmpty());
}

}  // namespace
}  // namespace prescope
