// Margins and catastrophes. Scores and bounds are worked by hand; the formulas of the
// tests are proved in tests/golden.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nightly/gate/gate.h"
#include "support/evaluation_records.h"

namespace prescope::testing {
namespace {

using Status = GateVerdict::Status;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kTopics = 400;

/// 400 topics found at ranks 1, 20, 40, 90, of which a test changes some.
struct Tonight {
  EvaluationRecord baseline = evaluation_record(steady_topics(kTopics));
  EvaluationRecord record = baseline;

  /// Instead of 1, 20, 40, 90, in the first `topics` of them.
  void set_ranks(const std::vector<Rank>& ranks, std::size_t topics) {
    for (std::size_t i = 0; i < topics; ++i) {
      record.topics[i] = topic_found_at(record.topics[i].id.text(), ranks);
    }
  }
  [[nodiscard]] GateVerdict gated(const GateRules& rules = {}) const {
    return gate(baseline_of(baseline), record, rules);
  }
};

/// Recall falls by a quarter in so many of 400 topics.
GateVerdict::MeasureResult recall_lost_in(std::size_t topics) {
  Tonight tonight;
  tonight.set_ranks({1, 20, 40, 0}, topics);
  return tonight.gated().measures.at(1);
}

// n = 400, k topics at -1/4: mean -k/1600, sd^2 = (k/400)(1 - k/400)/16 * 400/399, t.95 = 1.648682.
TEST(GateMargin, BoundsTheMeanDifference) {
  const GateVerdict::MeasureResult recall = recall_lost_in(8);
  EXPECT_EQ(recall.measure.name(), "R@100");
  EXPECT_EQ(recall.topics, 400U);
  EXPECT_DOUBLE_EQ(*recall.baseline, 1.0);
  EXPECT_NEAR(*recall.tonight, 0.995, 1e-12);
  EXPECT_NEAR(*recall.difference, -0.005, 1e-12);
  // sd = sqrt(0.02 * 0.98 / 16 * 400 / 399) = 0.03504383; 0.03504383 / 20 * 1.648682 = 0.00288881
  EXPECT_NEAR(*recall.sd, 0.03504383, 1e-8);
  EXPECT_NEAR(*recall.low, -0.00788881, 1e-8);
  EXPECT_NEAR(*recall.high, -0.00211119, 1e-8);
  EXPECT_EQ(recall.wins, 0U);
  EXPECT_EQ(recall.ties, 392U);
  EXPECT_EQ(recall.losses, 8U);
}

TEST(GateMargin, PassesWarnsIsInconclusiveOrFails) {
  EXPECT_EQ(recall_lost_in(2).status, Status::kPass);           // t = -1.42: no difference
  EXPECT_EQ(recall_lost_in(8).status, Status::kPass);           // t = -2.85, half of the margin
  EXPECT_EQ(recall_lost_in(9).status, Status::kWarning);        // t = -3.03, all above -0.01
  EXPECT_EQ(recall_lost_in(16).status, Status::kInconclusive);  // at -0.01
  EXPECT_EQ(recall_lost_in(32).status, Status::kFail);          // -0.02 +- 0.0056
}

TEST(GateMargin, ReasonHasMeansBoundsAndTheMargin) {
  Tonight tonight;
  tonight.set_ranks({1, 20, 40, 0}, 9);
  const GateVerdict verdict = tonight.gated();
  EXPECT_EQ(verdict.outcome, GateOutcome::kPass);
  // 9 of 400 lose 0.25: sd = 0.037121, reach = 1.648682 * sd / 20 = 0.003060.
  EXPECT_THAT(rule_of(verdict, "margin.R@100").reason,
              AllOf(HasSubstr("R@100 went from 1.0000 to 0.9944 over 400 topics: -0.0056"),
                    HasSubstr("above -0.0087 and below -0.0026"),
                    HasSubstr("within the margin of 0.01, but significantly worse")));
  tonight.set_ranks({1, 20, 40, 0}, 16);
  // sd = 0.0491: ((1.644854 + 0.841621) * 0.0491 / 0.01)^2 + 2 = 150.9: fewer would do, so the
  // differences, not the number of topics, are the reason.
  EXPECT_EQ(rule_of(tonight.gated(), "margin.R@100").status, Status::kInconclusive);
}

TEST(GateMargin, InconclusiveReasonNamesTheTopicsNeeded) {
  // Ten topics, one of which loses a quarter: sd = 0.079057, mean -0.025, reach 1.833113 * 0.025.
  Tonight tonight;
  tonight.baseline = tonight.record = evaluation_record(steady_topics(10));
  tonight.set_ranks({1, 20, 40, 0}, 1);
  const GateVerdict verdict = tonight.gated();
  EXPECT_EQ(verdict.outcome, GateOutcome::kInconclusive);
  EXPECT_EQ(exit_code(verdict.outcome), 3);
  // ((1.644854 + 0.841621) * 0.079057 / 0.01)^2 + 2 = 388.4
  EXPECT_THAT(rule_of(verdict, "margin.R@100").reason, HasSubstr("about 389 topics would"));
}

TEST(GateMargin, EqualFallInEveryTopicIsComparedWithTheMargin) {
  Tonight tonight;
  tonight.set_ranks({1, 20, 40, 0}, kTopics);
  EXPECT_EQ(rule_of(tonight.gated(), "margin.R@100").status, Status::kFail);
  // A difference equal to the margin is neither within nor outside.
  const GateRules on_it = {.decisions = {{Measure::parse("R@100"), 0.25}}};
  EXPECT_EQ(rule_of(tonight.gated(on_it), "margin.R@100").status, Status::kInconclusive);
  const GateRules within = {.decisions = {{Measure::parse("R@100"), 0.26}}};
  EXPECT_EQ(rule_of(tonight.gated(within), "margin.R@100").status, Status::kWarning);
}

TEST(GateMargin, OneTopicIsInconclusiveUnlessIdentical) {
  Tonight tonight;
  tonight.baseline = tonight.record = evaluation_record(steady_topics(1));
  EXPECT_EQ(tonight.gated().outcome, GateOutcome::kPass);
  EXPECT_TRUE(tonight.gated().identical);
  tonight.set_ranks({1, 20, 40, 91}, 1);
  EXPECT_EQ(tonight.gated().outcome, GateOutcome::kInconclusive);
}

TEST(GateMargin, TopicsWithoutRelevantDocumentsHaveNoValue) {
  Tonight tonight;
  tonight.baseline.topics.push_back({.id = TopicId("Z"), .num_ret = 1000});
  tonight.record.topics.push_back(tonight.baseline.topics.back());
  const GateVerdict verdict = tonight.gated();
  EXPECT_EQ(verdict.measures.front().topics, 400U);
  EXPECT_THAT(rule_of(verdict, "margin.PRES@100").reason, HasSubstr("identical in all 400 topics"));
}

TEST(GateMargin, EachMeasureHasItsOwn) {
  Tonight tonight;
  tonight.baseline.measures = parse_measures("R@100,AP@100,PRES@50");
  tonight.set_ranks({1, 20, 40, 0}, 32);
  const GateRules rules = {.decisions = {{Measure::parse("R@100"), 0.03},
                                         {Measure::parse("AP@100"), 0.005},
                                         {Measure::parse("PRES@50"), 0.01}}};
  const GateVerdict verdict = tonight.gated(rules);
  EXPECT_EQ(rule_of(verdict, "margin.R@100").status, Status::kWarning);
  EXPECT_EQ(rule_of(verdict, "margin.PRES@50").status, Status::kPass);
  EXPECT_EQ(verdict.moving->name(), "PRES@50");  // before the first R
}

/// A verdict if this many of 400 topics lose a citation at this rank.
GateVerdict lost_from(Rank rank, std::size_t topics, const GateRules& rules = {}) {
  Tonight tonight;
  for (std::size_t i = 0; i < kTopics; ++i) {
    const std::string id = tonight.baseline.topics[i].id.text();
    tonight.baseline.topics[i] = topic_found_at(id, {1, 2, 3, 4, rank});
    tonight.record.topics[i] = topic_found_at(id, {1, 2, 3, 4, i < topics ? 101 : rank});
  }
  return tonight.gated(rules);
}

TEST(GateCatastrophe, CitationsLostFromTheFirstFourFifthsFail) {
  EXPECT_EQ(rule_of(lost_from(80, 4), "catastrophe.hard_loss").status, Status::kPass);
  const GateVerdict verdict = lost_from(80, 5);
  EXPECT_EQ(verdict.outcome, GateOutcome::kRegression);
  EXPECT_EQ(exit_code(verdict.outcome), 1);
  EXPECT_EQ(rule_of(verdict, "catastrophe.hard_loss").reason,
            "5 topics of 400 lost a citation from the first 80 ranks (T1000, T1001, T1002, T1003, "
            "T1004), 4 accepted; 0 only from behind them, up to 100.");
  ASSERT_EQ(verdict.topics.size(), 5U);
  for (const GateVerdict::Topic& topic : verdict.topics) {
    EXPECT_THAT(topic.fails, ElementsAre("catastrophe.hard_loss"));
  }
}

TEST(GateCatastrophe, CitationsLostFromTheLastFifthAreAWarning) {
  EXPECT_EQ(rule_of(lost_from(81, 4), "catastrophe.hard_loss").status, Status::kPass);
  const GateVerdict verdict = lost_from(81, 5);
  EXPECT_EQ(rule_of(verdict, "catastrophe.hard_loss").status, Status::kWarning);
  EXPECT_EQ(verdict.outcome, GateOutcome::kPass);
  EXPECT_THAT(verdict.topics.front().fails, IsEmpty());
}

TEST(GateCatastrophe, OneTopicIsAlwaysAccepted) {
  const GateRules none = {.catastrophe = {.hard_loss_share = 0.0}};
  EXPECT_EQ(rule_of(lost_from(80, 1, none), "catastrophe.hard_loss").status, Status::kPass);
  EXPECT_EQ(rule_of(lost_from(80, 2, none), "catastrophe.hard_loss").status, Status::kFail);
  // 0.0725 * 400 is 28.999999999999996 in binary, and 29.
  const GateRules some = {.catastrophe = {.hard_loss_share = 0.0725}};
  EXPECT_EQ(rule_of(lost_from(80, 29, some), "catastrophe.hard_loss").status, Status::kPass);
  EXPECT_EQ(rule_of(lost_from(80, 30, some), "catastrophe.hard_loss").status, Status::kFail);
}

/// The only citation of so many topics goes from rank 1 to this rank; the others stay.
GateVerdict verdict_after_fall_to(Rank rank, std::size_t topics) {
  Tonight tonight;
  for (std::size_t i = 0; i < kTopics; ++i) {
    const std::string id = tonight.baseline.topics[i].id.text();
    tonight.baseline.topics[i] = topic_found_at(id, {1});
    tonight.record.topics[i] = topic_found_at(id, {i < topics ? rank : 1});
  }
  return tonight.gated();
}

TEST(GateCatastrophe, TopicsThatFallFar) {
  // PRES@100 of one citation at rank r is (101 - r) / 100: 0.8 at 21.
  EXPECT_EQ(rule_of(verdict_after_fall_to(21, 4), "catastrophe.fall").status, Status::kPass);
  EXPECT_EQ(rule_of(verdict_after_fall_to(20, 5), "catastrophe.fall").status, Status::kPass);
  const GateVerdict verdict = verdict_after_fall_to(21, 5);
  EXPECT_EQ(verdict.outcome, GateOutcome::kRegression);
  EXPECT_EQ(rule_of(verdict, "catastrophe.fall").reason,
            "5 topics of 400 fell by 0.2 or more in PRES@100 (T1000, T1001, T1002, T1003, T1004), "
            "4 accepted.");
  EXPECT_THAT(verdict.topics.front().fails, ElementsAre("catastrophe.fall"));
}

TEST(GateCatastrophe, TopicThatLosesAllCitationsFails) {
  Tonight tonight;
  tonight.set_ranks({101, 0, 0, 0}, 1);
  const GateVerdict verdict = tonight.gated();
  EXPECT_EQ(verdict.outcome, GateOutcome::kRegression);
  // 1 - 0.05^(1/400) = 0.0075 for none of 400, 0.0118 for one (Clopper & Pearson).
  EXPECT_EQ(
      rule_of(verdict, "catastrophe.emptied").reason,
      "1 topic (T1000) found something up to rank 100 at the baseline and nothing tonight, 0 the "
      "other way round (p = 0.5); of topics like these at most 1.2 % are emptied: none may be.");
  EXPECT_THAT(verdict.topics.front().fails, ElementsAre("catastrophe.emptied"));
  EXPECT_EQ(verdict.emptied->emptied, 1U);
  EXPECT_NEAR(verdict.emptied->rate_high, 0.01180430445, 1e-10);  // the stored vector of 1/400
}

TEST(GateCatastrophe, TopicWhoseOnlyCitationLeavesTheLastFifthIsAWarning) {
  const auto emptied_from = [](Rank rank) {
    Tonight tonight;
    tonight.baseline.topics[0] = topic_found_at("T1000", {rank});
    tonight.record.topics[0] = topic_found_at("T1000", {101});
    return tonight.gated();
  };
  EXPECT_EQ(rule_of(emptied_from(80), "catastrophe.emptied").status, Status::kFail);
  const GateVerdict over_the_edge = emptied_from(81);
  EXPECT_EQ(rule_of(over_the_edge, "catastrophe.emptied").status, Status::kWarning);
  EXPECT_THAT(rule_of(over_the_edge, "catastrophe.emptied").reason,
              AllOf(HasSubstr("1 topic (T1000) found"), HasSubstr("only over the edge.")));
  EXPECT_EQ(over_the_edge.emptied->emptied, 1U);
}

// It counted three topics, and named the one that fails.
TEST(GateCatastrophe, EmptiedTopicsAreCountedAndNamedAlike) {
  Tonight tonight;
  for (const auto& [topic, rank] : {std::pair{0, 1U}, {1, 90U}, {2, 1U}}) {
    const std::string id = fmt::format("T{}", 1000 + topic);
    tonight.baseline.topics[static_cast<std::size_t>(topic)] = topic_found_at(id, {rank});
    tonight.record.topics[static_cast<std::size_t>(topic)] = topic_found_at(id, {101});
  }
  const GateVerdict verdict =
      tonight.gated({.catastrophe = {.emptied_allowed = {TopicId("T1002")}}});
  EXPECT_THAT(rule_of(verdict, "catastrophe.emptied").reason,
              AllOf(HasSubstr("2 topics (T1000, T1001) found something"),
                    HasSubstr(", 1 more are allowed to"),
                    HasSubstr("none may be, from the first 80 % of the ranks (T1000).")));
}

TEST(GateCatastrophe, ATopicMayBeAllowedToFindNothing) {
  Tonight tonight;
  tonight.set_ranks({0, 0, 0, 0}, 1);
  const GateVerdict allowed =
      tonight.gated({.catastrophe = {.emptied_allowed = {TopicId("T1000")}}});
  EXPECT_EQ(rule_of(allowed, "catastrophe.emptied").status, Status::kPass);
  const GateVerdict off = tonight.gated({.catastrophe = {.emptied = false}});
  EXPECT_EQ(rule_of(off, "catastrophe.emptied").status, Status::kSkipped);
  const GateVerdict another =
      tonight.gated({.catastrophe = {.emptied_allowed = {TopicId("T1001")}}});
  EXPECT_EQ(rule_of(another, "catastrophe.emptied").status, Status::kFail);
}

/// A citation pinned at rank `then` of one topic of 400, and found at rank `now`; 0: not found.
GateVerdict must_find_at(Rank then, Rank now, const GateRules& rules = {}) {
  Tonight tonight;
  tonight.baseline.topics[5] = topic_found_at("T1005", {1, 2, 3, then});
  tonight.record.topics[5] = topic_found_at("T1005", {1, 2, 3, now});
  Baseline baseline = baseline_of(tonight.baseline);
  baseline.must_find = {{TopicId("T1005"), Docno("T1005-D4")},
                        {TopicId("T1006"), Docno("T1006-D1")}};
  return gate(baseline, tonight.record, rules);
}

TEST(GateCatastrophe, APinnedCitationMustBeFound) {
  EXPECT_EQ(must_find_at(20, 100).outcome, GateOutcome::kPass);
  const GateVerdict lost = must_find_at(90, 101);
  EXPECT_EQ(lost.outcome, GateOutcome::kRegression);
  EXPECT_EQ(rule_of(lost, "catastrophe.must_find").reason,
            "1 topic lost a citation that must be found (T1005); of 2 pinned citations.");
  ASSERT_EQ(lost.topics.size(), 1U);
  EXPECT_THAT(lost.topics[0].fails, ElementsAre("catastrophe.must_find"));
  ASSERT_EQ(lost.topics[0].citations.size(), 1U);
  EXPECT_TRUE(lost.topics[0].citations[0].must_find);
  EXPECT_EQ(must_find_at(90, 0, {.catastrophe = {.must_find = false}}).outcome, GateOutcome::kPass);
}

TEST(GateCatastrophe, CitationPinnedBehindTheCutoffMustNotFall) {
  EXPECT_EQ(must_find_at(300, 300).outcome, GateOutcome::kPass);
  EXPECT_EQ(must_find_at(300, 250).outcome, GateOutcome::kPass);
  const GateVerdict later = must_find_at(300, 301);
  EXPECT_EQ(later.outcome, GateOutcome::kRegression);
  ASSERT_EQ(later.topics.size(), 1U);
  ASSERT_EQ(later.topics[0].citations.size(), 1U);
  EXPECT_EQ(later.topics[0].citations[0].share, 0.0);
  EXPECT_EQ(later.topics[0].citations[0].rank_b, 301U);
  EXPECT_EQ(must_find_at(0, 0).outcome, GateOutcome::kPass);  // never found, not lost
}

TEST(GateCatastrophe, CatastrophesAreSkippedWithoutACutoff) {
  Tonight tonight;
  tonight.baseline.measures = parse_measures("AP");
  tonight.set_ranks({0, 0, 0, 0}, 1);
  const GateVerdict verdict = tonight.gated({.decisions = {{Measure::parse("AP"), 0.5}}});
  EXPECT_FALSE(verdict.moving);
  for (const char* rule : {"must_find", "emptied", "hard_loss", "fall"}) {
    EXPECT_EQ(rule_of(verdict, std::string("catastrophe.") + rule).status, Status::kSkipped);
  }
  EXPECT_THAT(verdict.topics, IsEmpty());
}

TEST(GateTopics, CitationsHaveExactSharesOfTheDifference) {
  // n = 3, N = 100. Baseline: D1 at 1 has 100 credits, D2 at 50 has 52. Tonight: D3 at 10 has 91,
  // D2 at 50 still 52. Of 300.
  Tonight tonight;
  tonight.baseline.topics[0] = topic_found_at("T1000", {1, 50, 0});
  tonight.record.topics[0] = topic_found_at("T1000", {0, 50, 10});
  const GateVerdict verdict = tonight.gated();
  EXPECT_EQ(verdict.moving->name(), "PRES@100");
  ASSERT_EQ(verdict.topics.size(), 1U);
  const GateVerdict::Topic& topic = verdict.topics[0];
  EXPECT_EQ(topic.num_rel, 3U);
  EXPECT_DOUBLE_EQ(topic.a, 152.0 / 300.0);
  EXPECT_DOUBLE_EQ(topic.b, 143.0 / 300.0);
  ASSERT_EQ(topic.citations.size(), 2U);
  EXPECT_EQ(topic.citations[0].docno, Docno("T1000-D1"));
  EXPECT_EQ(topic.citations[0].rank_a, 1U);
  EXPECT_FALSE(topic.citations[0].rank_b);
  EXPECT_DOUBLE_EQ(topic.citations[0].share, -100.0 / 300.0);
  EXPECT_EQ(topic.citations[1].docno, Docno("T1000-D3"));
  EXPECT_FALSE(topic.citations[1].rank_a);
  EXPECT_DOUBLE_EQ(topic.citations[1].share, 91.0 / 300.0);
}

TEST(GateTopics, FailingTopicsComeFirstThenTheDeepestFall) {
  Tonight tonight;
  tonight.record.topics[0] = topic_found_at("T1000", {2, 20, 40, 90});  // - 1 credit
  tonight.record.topics[1] = topic_found_at("T1001", {1, 2, 3, 4});     // better
  tonight.record.topics[2] = topic_found_at("T1002", {9, 20, 40, 90});  // - 8 credits
  tonight.baseline.topics[3] = topic_found_at("T1003", {0, 0, 0, 80});
  tonight.record.topics[3] = topic_found_at("T1003", {0, 0, 0, 0});  // - 21, and emptied
  tonight.baseline.topics[4] = topic_found_at("T1004", {1, 2, 0, 0});
  tonight.record.topics[4] = topic_found_at("T1004", {31, 32, 0, 0});  // - 60
  std::vector<std::string> ids;
  const GateVerdict verdict = tonight.gated();
  for (const GateVerdict::Topic& topic : verdict.topics) ids.push_back(topic.topic.text());
  EXPECT_THAT(ids, ElementsAre("T1003", "T1004", "T1002", "T1000", "T1001"));
}

TEST(GateTopics, MergedSpellingsAreTheSameCitation) {
  Tonight tonight;
  tonight.baseline.qrels.docno = tonight.record.qrels.docno = DocnoPolicy::kPatent;
  tonight.baseline.topics[0].found[0].docno = Docno("EP-0971326-B1");
  tonight.record.topics[0].found[0].docno = Docno("EP0971326A3");
  EXPECT_THAT(tonight.gated().topics, IsEmpty());
  tonight.baseline.qrels.docno = tonight.record.qrels.docno = DocnoPolicy::kRaw;
  const GateVerdict raw = tonight.gated();
  ASSERT_EQ(raw.topics.size(), 1U);
  EXPECT_EQ(raw.topics[0].citations.size(), 2U);
}

TEST(GateOutcome, WorstRuleDecides) {
  EXPECT_EQ(to_string(GateOutcome::kPass), "PASS");
  EXPECT_EQ(to_string(GateOutcome::kRegression), "REGRESSION");
  EXPECT_EQ(to_string(GateOutcome::kInconclusive), "INCONCLUSIVE");
  EXPECT_EQ(to_string(GateOutcome::kBadInput), "BAD INPUT");
  EXPECT_EQ(exit_code(GateOutcome::kPass), 0);
  // A recall that may have fallen by the margin, and an emptied topic.
  Tonight tonight;
  tonight.set_ranks({1, 20, 40, 0}, 16);
  EXPECT_EQ(tonight.gated().outcome, GateOutcome::kInconclusive);
  tonight.set_ranks({0, 0, 0, 0}, 1);
  EXPECT_EQ(tonight.gated().outcome, GateOutcome::kRegression);
  tonight.record.depth = 5;
  EXPECT_EQ(tonight.gated().outcome, GateOutcome::kBadInput);
}

}  // namespace
}  // namespace prescope::testing
