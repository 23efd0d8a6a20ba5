#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/hash.h"
#include "live/ledger/ledger.h"

namespace prescope {
namespace {

struct JudgedVersion {
  JudgedVersion(std::uint32_t number, const std::vector<Qrels::Line>& lines)
      : qrels(Qrels::from_lines(lines)), judged(qrels, number) {}
  Qrels qrels;
  JudgedDocnos judged;
};

Qrels::Line judged_line(const char* topic, const char* docno, Grade grade = 1) {
  return {TopicId(topic), Docno(docno), grade};
}

/// t0 judges a and c, then comes b between them; t1 stays as it is. The ranking is a b x.
class LedgerRejudge : public ::testing::Test {
 protected:
  JudgedVersion before_{0,
                        {judged_line("t0", "a"), judged_line("t0", "c"), judged_line("t1", "a")}};
  JudgedVersion after_{1,
                       {judged_line("t0", "a"), judged_line("t0", "b"), judged_line("t0", "c"),
                        judged_line("t1", "a")}};
  Scorer scorer_{parse_measures("R@2 R@3")};
  Ledger ledger_{before_.judged, scorer_, 1};

  enum class Capture { kNothing, kKeys, kDocids };
  struct Seen {
    Capture capture = Capture::kNothing;
    std::size_t depth = 3;  ///< that is captured
    std::uint32_t topic = 0;
    std::uint32_t version = 0;
  };
  void serve(const Seen& seen) {
    const JudgedHit hits[] = {{1, JudgementIndex(0)}};
    const std::uint64_t keys[] = {key_hash("a"), key_hash("b"), key_hash("x")};
    const DocId docids[] = {DocId(70), DocId(71), DocId(72)};
    Observation observation{.topic = TopicIndex(seen.topic),
                            .generation = 1,
                            .first_rank = 1,
                            .requested_depth = 3,
                            .num_ret = 3,
                            .judgements_version = seen.version,
                            .hits = hits};
    if (seen.capture == Capture::kKeys) {
      observation.captured_keys = std::span(keys).first(seen.depth);
    } else if (seen.capture == Capture::kDocids) {
      observation.captured_docids = std::span(docids).first(seen.depth);
    }
    ledger_.record(observation);
  }
  const Ledger::Score& score(std::size_t measure, std::uint32_t topic = 0) const {
    return ledger_.score(ArmIndex(0), TopicIndex(topic), measure);
  }
  const Ledger::TopicState& state() const { return ledger_.arm(ArmIndex(0)).topics[0]; }

  /// An index that carries a and b as docids 70 and 71, but not c.
  ResolvedQrels table(std::uint64_t generation) const {
    return {after_.judged, {{0, DocId(70)}, {1, DocId(71)}}, generation, 3};
  }
};

TEST_F(LedgerRejudge, FindsANewDocumentInTheCapturedKeys) {
  serve({.capture = Capture::kKeys});
  serve({.capture = Capture::kKeys});
  EXPECT_EQ(score(1).mean, 0.5) << "a of a, c";
  const Rejudged result = ledger_.rejudge(after_.judged);
  EXPECT_EQ(result.topics, 1U);
  EXPECT_EQ(result.rescored, 1U);
  EXPECT_EQ(score(1).mean, 2.0 / 3) << "a, b of a, b, c";
  EXPECT_EQ(score(1).visits, 1U) << "the last visit is the first of the epoch";
  EXPECT_EQ(state().ranking.hits[1], (JudgedHit{2, JudgementIndex(1)}));
  EXPECT_EQ(ledger_.epoch().reason, EpochReason::kJudgements);
}

TEST_F(LedgerRejudge, TopicsThatDidNotChangeKeepTheirMeans) {
  serve({.topic = 1});
  serve({.topic = 1});
  ledger_.rejudge(after_.judged);
  EXPECT_EQ(score(1, 1).visits, 2U);
  EXPECT_EQ(ledger_.sums(ArmIndex(0)).measures[1].values.n(), 1U);
}

TEST_F(LedgerRejudge, WithoutACaptureTheTopicHasNoValueUntilItsNextVisit) {
  serve({});
  const Rejudged result = ledger_.rejudge(after_.judged);
  EXPECT_EQ(result.awaiting, 1U);
  EXPECT_TRUE(state().awaiting);
  EXPECT_EQ(score(0).visits, 0U);
  EXPECT_EQ(ledger_.sums(ArmIndex(0)).measures[0].values.n(), 0U);
  EXPECT_EQ(ledger_.sums(ArmIndex(0)).topics_awaiting, 1U);
  serve({.version = 1});
  EXPECT_FALSE(state().awaiting);
  EXPECT_EQ(score(1).mean, 1.0 / 3);
  EXPECT_EQ(ledger_.sums(ArmIndex(0)).topics_awaiting, 0U);
}

TEST_F(LedgerRejudge, ShallowCaptureDecidesShallowCutoffsOnly) {
  JudgedVersion other(1, {judged_line("t0", "a"), judged_line("t0", "c"), judged_line("t0", "x"),
                          judged_line("t1", "a")});
  serve({.capture = Capture::kKeys, .depth = 2});
  EXPECT_EQ(ledger_.rejudge(other.judged).awaiting, 1U) << "x may stand at rank 3";
  EXPECT_EQ(score(0).mean, 1.0 / 3) << "R@2: a of a, c, x";
  EXPECT_EQ(score(1).visits, 0U) << "R@3";
}

TEST_F(LedgerRejudge, ResolvingAgainNamesCapturedDocids) {
  serve({.capture = Capture::kDocids});
  EXPECT_EQ(ledger_.rejudge(after_.judged).awaiting, 1U);
  EXPECT_EQ(score(0).visits, 0U);
  EXPECT_EQ(ledger_.locate(ArmIndex(0), table(2)).topics, 0U) << "docids of another generation";
  EXPECT_TRUE(state().awaiting);
  const Rejudged result = ledger_.locate(ArmIndex(0), table(1));
  EXPECT_EQ(result.rescored, 1U);
  EXPECT_EQ(score(1).mean, 2.0 / 3);
  EXPECT_EQ(ledger_.sums(ArmIndex(0)).topics_awaiting, 0U);
}

TEST_F(LedgerRejudge, WithdrawnAndRegradedJudgementsAreExactWithoutACapture) {
  JudgedVersion other(1, {judged_line("t0", "a", 0), judged_line("t1", "a")});
  serve({});
  EXPECT_EQ(ledger_.rejudge(other.judged).rescored, 1U);
  EXPECT_FALSE(state().awaiting);
  EXPECT_EQ(score(0).visits, 0U) << "nothing is relevant any more";
}

TEST_F(LedgerRejudge, AnObservationOfOlderJudgementsIsRenumbered) {
  JudgedVersion other(1, {judged_line("t0", "0"), judged_line("t0", "a"), judged_line("t0", "c"),
                          judged_line("t1", "a")});
  ledger_.rejudge(other.judged);
  serve({.capture = Capture::kKeys, .version = 0});  // its judgement 0, a, is now 1
  EXPECT_EQ(state().ranking.hits[0].judgement, JudgementIndex(1));
  EXPECT_EQ(score(1).mean, 1.0 / 3);
  EXPECT_EQ(ledger_.late_observations(), 0U);
}

TEST_F(LedgerRejudge, ObservationThatMayHideANewDocumentIsLate) {
  ledger_.rejudge(after_.judged);
  serve({.version = 0});
  EXPECT_EQ(ledger_.late_observations(), 1U);
  EXPECT_FALSE(state().seen);
}

TEST(KeyHash, IsTheSameInEveryVersionAndDiffersBetweenKeys) {
  // Computed from the definition, in Python. Captured rankings are stored: with other values those
  // on disk could not be read.
  EXPECT_EQ(key_hash(""), 0x4f329cadfaf7c73cU);
  EXPECT_EQ(key_hash("EP1234567"), 0x906c075fdb635a99U);
  EXPECT_EQ(key_hash("EP1234567A1-WO2005"), 0xaaa4989aed54f76fU);
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 100'000; ++i) hashes.push_back(key_hash("EP" + std::to_string(i)));
  for (const char* odd : {"", "a", "ab", "abcdefgh", "abcdefghi"}) hashes.push_back(key_hash(odd));
  hashes.push_back(key_hash(std::string_view("a\0", 2)));
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

}  // namespace
}  // namespace prescope
