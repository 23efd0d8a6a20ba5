#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/hash.h"
#include "live/ledger/ledger.h"

namespace prescope {
namespace {

Qrels qrels_with(const std::vector<Qrels::Line>& lines) { return Qrels::from_lines(lines); }

Qrels::Line judged_line(const char* topic, const char* docno, Grade grade = 1) {
  return {TopicId(topic), Docno(docno), grade};
}

constexpr TopicIndex kAllTopics[] = {TopicIndex(0), TopicIndex(1)};

/// t0 judges a and c, then comes b between them; t1 stays as it is. The ranking is a b x.
class LedgerRejudge : public ::testing::Test {
 protected:
  JudgedDocnos before_{
      qrels_with({judged_line("t0", "a"), judged_line("t0", "c"), judged_line("t1", "a")})};
  JudgedDocnos after_{qrels_with({judged_line("t0", "a"), judged_line("t0", "b"),
                                  judged_line("t0", "c"), judged_line("t1", "a")}),
                      before_};
  Scorer scorer_{parse_measures("R@2 R@3")};
  Ledger ledger_{before_, scorer_, 2};

  enum class Capture { kNothing, kKeys, kDocids };
  struct Seen {
    Capture capture = Capture::kNothing;
    std::size_t depth = 3;  ///< that is captured
    std::uint32_t topic = 0;
    std::uint32_t version = 0;
    std::uint64_t key = 0;
  };
  void serve(const Seen& seen) {
    const JudgedHit hits[] = {{1, JudgementIndex(0)}};
    const std::uint64_t keys[] = {key_hash("a"), key_hash("b"), key_hash("x")};
    const DocId docids[] = {DocId(70), DocId(71), DocId(72)};
    Observation observation{.topic = TopicIndex(seen.topic),
                            .visit = ++visits_,
                            .visit_key = seen.key,
                            .generation = 1,
                            .first_rank = 1,
                            .depth = 3,
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
  /// Serves ranks 4 to 6 of the visit with key 7, under the new judgements.
  void serve_next_page(std::uint32_t topic, std::span<const JudgedHit> hits) {
    ledger_.record({.topic = TopicIndex(topic),
                    .visit = ++visits_,
                    .visit_key = 7,
                    .generation = 1,
                    .first_rank = 4,
                    .depth = 3,
                    .num_ret = 3,
                    .judgements_version = 1,
                    .hits = hits});
  }
  const Score& score(std::size_t measure, std::uint32_t topic = 0) const {
    return ledger_.score(ArmIndex(0), TopicIndex(topic), measure);
  }
  const Ledger::Track& track() {
    ledger_.settle();
    return ledger_.arm(ArmIndex(0)).served;
  }
  const Ledger::TopicState& state() { return track().topics[0]; }
  std::uint64_t visits_ = 0;

  /// An index that carries a and b as docids 70 and 71, but not c.
  ResolvedQrels table(std::uint64_t generation) const {
    return {after_, {{0, DocId(70)}, {after_.find("b"), DocId(71)}}, generation, 3};
  }
};

TEST_F(LedgerRejudge, FindsANewDocumentInTheCapturedKeys) {
  serve({.capture = Capture::kKeys});
  serve({.capture = Capture::kKeys});
  EXPECT_EQ(score(1).mean, 0.5) << "a of a, c";
  const Rejudged result = ledger_.rejudge(after_, kAllTopics);
  EXPECT_EQ(result.topics, 1U);
  EXPECT_EQ(result.rescored, 1U);
  EXPECT_EQ(score(1).mean, 2.0 / 3) << "a, b of a, b, c";
  EXPECT_EQ(score(1).visits, 1U) << "the last visit is the first of the epoch";
  EXPECT_EQ(state().last.ranking.hits[1], (JudgedHit{2, JudgementIndex(1)}));
  EXPECT_EQ(ledger_.epoch().reason, EpochReason::kJudgements);
}

TEST_F(LedgerRejudge, TopicsThatDidNotChangeKeepTheirMeans) {
  serve({.topic = 1});
  serve({.topic = 1});
  ledger_.rejudge(after_, kAllTopics);
  EXPECT_EQ(score(1, 1).visits, 2U);
  EXPECT_EQ(track().totals[1].means(0).topics, 1U);
}

TEST_F(LedgerRejudge, WithoutACaptureTheTopicHasNoValueUntilItsNextVisit) {
  serve({});
  const Rejudged result = ledger_.rejudge(after_, kAllTopics);
  EXPECT_EQ(result.awaiting, 1U);
  EXPECT_TRUE(state().last.awaiting);
  EXPECT_EQ(score(0).visits, 0U);
  EXPECT_EQ(track().totals[0].means(0).topics, 0U);
  EXPECT_EQ(track().topics_awaiting, 1U);
  serve({.version = 1});
  EXPECT_FALSE(state().last.awaiting);
  EXPECT_EQ(score(1).mean, 1.0 / 3);
  EXPECT_EQ(track().topics_awaiting, 0U);
}

TEST_F(LedgerRejudge, ShallowCaptureDecidesShallowCutoffsOnly) {
  JudgedDocnos other(qrels_with({judged_line("t0", "a"), judged_line("t0", "c"),
                                 judged_line("t0", "x"), judged_line("t1", "a")}),
                     before_);
  serve({.capture = Capture::kKeys, .depth = 2});
  EXPECT_EQ(ledger_.rejudge(other, kAllTopics).awaiting, 1U) << "x may stand at rank 3";
  EXPECT_EQ(score(0).mean, 1.0 / 3) << "R@2: a of a, c, x";
  EXPECT_EQ(score(1).visits, 0U) << "R@3";
}

TEST_F(LedgerRejudge, ResolvingAgainNamesCapturedDocids) {
  serve({.capture = Capture::kDocids});
  EXPECT_EQ(ledger_.rejudge(after_, kAllTopics).awaiting, 1U);
  EXPECT_EQ(score(0).visits, 0U);
  EXPECT_EQ(ledger_.locate(ArmIndex(0), table(2)).topics, 0U) << "docids of another generation";
  EXPECT_TRUE(state().last.awaiting);
  const Rejudged result = ledger_.locate(ArmIndex(0), table(1));
  EXPECT_EQ(result.rescored, 1U);
  EXPECT_EQ(score(1).mean, 2.0 / 3);
  EXPECT_EQ(track().topics_awaiting, 0U);
}

TEST_F(LedgerRejudge, WithdrawnAndRegradedJudgementsAreExactWithoutACapture) {
  JudgedDocnos other(qrels_with({judged_line("t0", "a", 0), judged_line("t1", "a")}), before_);
  serve({});
  EXPECT_EQ(ledger_.rejudge(other, kAllTopics).rescored, 1U);
  EXPECT_FALSE(state().last.awaiting);
  EXPECT_EQ(score(0).visits, 0U) << "nothing is relevant any more";
}

TEST_F(LedgerRejudge, AnObservationOfOlderJudgementsIsRenumbered) {
  JudgedDocnos other(qrels_with({judged_line("t0", "0"), judged_line("t0", "a"),
                                 judged_line("t0", "c"), judged_line("t1", "a")}),
                     before_);
  ledger_.rejudge(other, kAllTopics);
  serve({.capture = Capture::kKeys, .version = 0});  // its judgement 0, a, is now 1
  EXPECT_EQ(state().last.ranking.hits[0].judgement, JudgementIndex(1));
  EXPECT_EQ(score(1).mean, 1.0 / 3);
  EXPECT_EQ(ledger_.counts().late_observations, 0U);
}

TEST_F(LedgerRejudge, ObservationThatMayHideANewDocumentIsLate) {
  ledger_.rejudge(after_, kAllTopics);
  serve({.version = 0});
  EXPECT_EQ(ledger_.counts().late_observations, 1U);
  EXPECT_FALSE(state().seen());
}

TEST_F(LedgerRejudge, PageOfAVisitThatAwaitsADocumentIsAGap) {
  ledger_.rejudge(after_, kAllTopics);
  serve({.capture = Capture::kDocids, .version = 0, .key = 7});
  EXPECT_TRUE(state().last.awaiting) << "b may be at any rank";
  const JudgedHit hits[] = {{4, JudgementIndex(1)}};
  serve_next_page(0, hits);
  EXPECT_EQ(ledger_.counts().page_gaps, 1U);
  ledger_.locate(ArmIndex(0), table(1));
  EXPECT_EQ(score(1).mean, 2.0 / 3) << "a and b of a, b, c";
}

TEST_F(LedgerRejudge, OpenVisitsOfOtherTopicsGoOn) {
  for (const std::uint32_t topic : {0U, 1U}) serve({.topic = topic, .key = 7});
  ledger_.rejudge(after_, kAllTopics);
  for (const std::uint32_t topic : {0U, 1U}) serve_next_page(topic, {});
  EXPECT_EQ(ledger_.counts().page_gaps, 1U) << "that of t0, whose judgements changed";
  EXPECT_EQ(track().topics[1].visits, 1U);
  EXPECT_EQ(track().topics[1].last.ranking.num_ret, 6U);
}

TEST_F(LedgerRejudge, OpenComparisonsOfOtherTopicsGoOn) {
  Ledger ledger(before_, scorer_, 2, {.mode = Mode::kPaired});
  Observation search{
      .topic = TopicIndex(1), .visit = 1, .compared_arms = 2, .depth = 3, .num_ret = 3};
  ledger.record(search);
  ledger.rejudge(after_, kAllTopics);
  search.arm = ArmIndex(1);
  ledger.record(search);
  EXPECT_EQ(ledger.epoch().compared_visits, 1U);
  EXPECT_EQ(ledger.epoch().incomplete_visits, 0U);
}

TEST_F(LedgerRejudge, LocatingAVisitLeavesTheCountOfShallowOnesRight) {
  Scorer scorer(parse_measures("R@3 R@5"));
  Ledger ledger(before_, scorer, 1);
  const DocId docids[] = {DocId(70), DocId(71), DocId(72)};
  Observation visit{
      .topic = TopicIndex(0), .generation = 1, .depth = 3, .num_ret = 3, .captured_docids = docids};
  ledger.record(visit);
  const Score& deeper = ledger.score(ArmIndex(0), TopicIndex(0), 1);
  EXPECT_EQ(deeper.shallow_visits, 1U);
  ledger.rejudge(after_, kAllTopics);
  EXPECT_EQ(deeper.shallow_visits, 0U) << "nothing is known of it";
  ledger.locate(ArmIndex(0), table(1));
  EXPECT_EQ(deeper.shallow_visits, 1U);
}

TEST_F(LedgerRejudge, InASplitTheNextTopicIsExpectedToScoreAsTheTopicDoesNow) {
  Ledger ledger(before_, scorer_, 2, {.mode = Mode::kSplit});
  const JudgedHit hits[] = {{1, JudgementIndex(0)}};
  JudgedDocnos nothing(qrels_with({judged_line("t0", "a", 0), judged_line("t1", "a")}), before_);
  ledger.rejudge(nothing, kAllTopics);
  Observation visit{
      .topic = TopicIndex(0), .depth = 3, .num_ret = 3, .judgements_version = 1, .hits = hits};
  ledger.record(visit);
  EXPECT_EQ(ledger.expected(TopicIndex(0), 0), 0.5);
  JudgedDocnos relevant(qrels_with({judged_line("t0", "a", 1), judged_line("t1", "a")}), nothing);
  ledger.rejudge(relevant, kAllTopics);
  EXPECT_EQ(ledger.score(ArmIndex(0), TopicIndex(0), 0).mean, 1.0);
  visit.topic = TopicIndex(1);
  visit.judgements_version = 2;
  ledger.record(visit);
  EXPECT_EQ(ledger.expected(TopicIndex(1), 0), 1.0) << "the mean so far";
}

/// Issue: "Scores above 1 (PRES@10 1.05, AP 1.5) and NaN evidence after a late judgement, if one
/// document carries two docnos." Document 70 is found as "a" at rank 1; later "b" is judged, which
/// it carries too.
class TwoDocnosOfADocument : public ::testing::Test {
 protected:
  JudgedDocnos before_{qrels_with({judged_line("t", "a")})};
  JudgedDocnos after_{qrels_with({judged_line("t", "a"), judged_line("t", "b")}), before_};
  Scorer scorer_{parse_measures("PRES@10 AP R@10")};

  static void serve(Ledger& ledger, std::uint32_t arm) {
    const JudgedHit hits[] = {{1, JudgementIndex(0)}};
    std::vector<DocId> docids;
    for (std::uint32_t i = 0; i < 10; ++i) docids.emplace_back(70 + i);
    ledger.record({.topic = TopicIndex(0),
                   .arm = ArmIndex(arm),
                   .visit = 1,
                   .compared_arms = ledger.options().mode == Mode::kPaired ? 2U : 0U,
                   .generation = 1,
                   .depth = 10,
                   .num_ret = 10,
                   .hits = hits,
                   .captured_docids = docids});
  }
};

TEST_F(TwoDocnosOfADocument, CountsOnceAfterALateJudgement) {
  const ResolvedQrels table(after_, {{0, DocId(70)}, {1, DocId(70)}}, 1, 100);
  for (const Mode mode : {Mode::kObserve, Mode::kPaired, Mode::kSplit}) {
    Ledger ledger(before_, scorer_, 2, {.mode = mode});
    for (const std::uint32_t arm : {0U, 1U}) serve(ledger, arm);
    ledger.rejudge(after_, std::span(kAllTopics).first(1));
    for (const std::uint32_t arm : {0U, 1U}) {
      EXPECT_EQ(ledger.locate(ArmIndex(arm), table).rescored, 1U);
    }
    for (const std::uint32_t arm : {0U, 1U}) {
      // One document of n = 2 at rank 1: (10 + 1 - 1) / (2 * 10), and a precision of 1 / 2.
      EXPECT_EQ(ledger.score(ArmIndex(arm), TopicIndex(0), 0).value(), 0.5) << "PRES@10";
      EXPECT_EQ(ledger.score(ArmIndex(arm), TopicIndex(0), 1).value(), 0.5) << "AP";
      EXPECT_EQ(ledger.score(ArmIndex(arm), TopicIndex(0), 2).value(), 0.5) << "R@10";
    }
    for (const BoundedEvidence& each : ledger.pair(ArmIndex(1)).evidence) {
      const TopicEvidence evidence = each.at_low();
      EXPECT_EQ(evidence.sums().n(), mode == Mode::kObserve ? 0U : 1U);
      EXPECT_TRUE(std::isfinite(evidence.log_e_above()));
      EXPECT_TRUE(std::isfinite(evidence.log_e_below()));
    }
  }
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

TEST_F(LedgerRejudge, OtherDocnoOfAWithdrawnDocumentIsUnknownUntilTheNextVisit) {
  // The document at rank 1 carries a and perhaps c; a is withdrawn.
  const JudgedDocnos later(qrels_with({judged_line("t0", "c"), judged_line("t1", "a")}), before_);
  const JudgedHit hits[] = {{1, JudgementIndex(0)}};
  for (const RankingFlags flags : {RankingFlags::kNone, RankingFlags::kSeveralDocnos}) {
    Ledger ledger(before_, scorer_, 1);
    const Observation visit{.visit = 1,
                            .depth = 3,
                            .num_ret = 3,
                            .flags = flags,
                            .judgements_version = 0,
                            .hits = hits};
    Observation in_t0 = visit;
    in_t0.topic = TopicIndex(0);
    ledger.record(in_t0);
    const bool is_unknown = flags != RankingFlags::kNone;
    EXPECT_EQ(ledger.rejudge(later, kAllTopics).awaiting, is_unknown ? 1U : 0U);
    EXPECT_EQ(ledger.arm(ArmIndex(0)).served.topics_awaiting, is_unknown ? 1U : 0U);
    EXPECT_EQ(ledger.score(ArmIndex(0), TopicIndex(0), 1).visits, is_unknown ? 0U : 1U);
    in_t0.visit = 2;
    ledger.record(in_t0);  // it was under way
    EXPECT_EQ(ledger.counts().late_observations, is_unknown ? 1U : 0U) << "not scored as 0";
    in_t0.visit = 3;
    in_t0.judgements_version = 1;
    ledger.record(in_t0);
    EXPECT_EQ(ledger.score(ArmIndex(0), TopicIndex(0), 1).last, 1.0);
    EXPECT_EQ(ledger.arm(ArmIndex(0)).served.topics_awaiting, 0U);
  }
}

/// Returns the least time of some rounds of changes of one topic among many.
std::chrono::nanoseconds time_of_rejudging(std::uint32_t topics, const Scorer& scorer) {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < topics; ++t) {
    lines.push_back(judged_line(("t" + std::to_string(1'000'000 + t)).c_str(), "a"));
  }
  const JudgedDocnos one(qrels_with(lines));
  lines[0].grade = 2;
  const JudgedDocnos other(qrels_with(lines), one);
  Ledger ledger(one, scorer, 2);
  const TopicIndex changed[] = {TopicIndex(0)};
  auto least = std::chrono::nanoseconds::max();
  for (int round = 0; round < 5; ++round) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) {
      ledger.rejudge(other, changed);
      ledger.rejudge(one, changed);
    }
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - began);
  }
  return least;
}

TEST(LedgerRejudging, CostsWhatChangedAndNotTheTopics) {
  const Scorer scorer(parse_measures("R@10"));
  // A look at each topic would take 1000 times as long.
  EXPECT_LT(time_of_rejudging(100'000, scorer), 100 * time_of_rejudging(100, scorer));
}

}  // namespace
}  // namespace prescope
