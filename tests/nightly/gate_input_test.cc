// Changes of the input that look like a worse ranking: each is named, and the gate says nothing
// about the ranking then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nightly/gate/gate.h"
#include "prescope/error.h"
#include "support/evaluation_records.h"

namespace prescope::testing {
namespace {

using Status = GateVerdict::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The baseline and tonight of 40 topics, equal except for the changes of a test.
struct Nights {
  EvaluationRecord baseline = evaluation_record(steady_topics(40));
  EvaluationRecord tonight = baseline;

  /// Makes the evaluations those of run files, without an index.
  void forget_indexes() { baseline.index = tonight.index = {}; }
  [[nodiscard]] GateVerdict gated(const GateRules& rules = {}) const {
    return gate(baseline_of(baseline), tonight, rules);
  }
};

void expect_bad_input(const GateVerdict& verdict, std::string_view id) {
  EXPECT_EQ(verdict.outcome, GateOutcome::kBadInput);
  EXPECT_EQ(exit_code(verdict.outcome), 2);
  EXPECT_EQ(rule_of(verdict, id).status, Status::kBadInput);
  EXPECT_TRUE(verdict.measures.empty());
  EXPECT_TRUE(verdict.topics.empty());
  EXPECT_FALSE(verdict.identical);
  for (const GateVerdict::Rule& rule : verdict.rules) {
    if (rule.id.starts_with("input.")) continue;
    EXPECT_EQ(rule.status, Status::kSkipped) << rule.id;
  }
}

TEST(GateInput, ReportsEveryCheckThatHolds) {
  const Nights nights;
  const GateVerdict verdict = nights.gated();
  EXPECT_EQ(verdict.outcome, GateOutcome::kPass);
  EXPECT_TRUE(verdict.identical);
  std::vector<std::string> ids;
  for (const GateVerdict::Rule& rule : verdict.rules) {
    ids.push_back(rule.id);
    const bool is_unknown = rule.id == "latency.ratio" || rule.id == "input.texts" ||
                            rule.id == "input.index" || rule.id == "input.scores" ||
                            rule.id == "input.run";
    EXPECT_EQ(rule.status, is_unknown ? Status::kSkipped : Status::kPass) << rule.id;
    EXPECT_TRUE(rule.reason.ends_with('.')) << rule.reason;
  }
  EXPECT_THAT(
      ids, ::testing::ElementsAre("input.qrels", "input.topics", "input.texts", "input.conditions",
                                  "input.arm", "input.index", "input.depth", "input.hits",
                                  "input.scores", "input.run", "input.clock", "input.documents",
                                  "input.judged_found", "input.duplicates", "margin.PRES@100",
                                  "margin.R@100", "catastrophe.must_find", "catastrophe.emptied",
                                  "catastrophe.hard_loss", "catastrophe.fall", "latency.ratio"));
}

TEST(GateInput, OtherTextsOfTopicsAreBadInput) {
  Nights nights;
  for (std::size_t i = 0; i < 40; ++i) {
    nights.baseline.topics[i].text = i;
    nights.tonight.topics[i].text = i == 5 || i == 9 ? 77 : i;
  }
  EXPECT_EQ(rule_of(nights.gated(), "input.texts").status, Status::kWarning);  // they find the same
  nights.tonight.topics[9].found.pop_back();
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.texts");
  EXPECT_THAT(rule_of(verdict, "input.texts").reason,
              HasSubstr("2 topics of 40 have other texts than at the baseline (T1005, T1009)"));
}

TEST(GateInput, AnotherSettingOrEngineIsNamed) {
  Nights nights;
  nights.baseline.config = "engine = 'toy'\nk1 = '1.2'\n";
  nights.tonight.config = "engine = 'toy'\n    k1 = '0.9'\n";
  nights.tonight.index.engine_version = "1.1";
  const GateVerdict::Rule rule = rule_of(nights.gated(), "input.arm");
  EXPECT_EQ(rule.status, Status::kWarning);
  EXPECT_THAT(rule.reason, HasSubstr("engine was toy 1.0 and is toy 1.1, k1 was 1.2 and is 0.9."));
}

TEST(GateInput, FewerHitsForMostTopicsAreNamed) {
  const auto with_fewer = [](std::size_t topics) {
    Nights nights;
    for (std::size_t i = 0; i < topics; ++i) nights.tonight.topics[i].num_ret = 30;
    return rule_of(nights.gated(), "input.hits");
  };
  EXPECT_EQ(with_fewer(20).status, Status::kPass);
  EXPECT_EQ(with_fewer(21).status, Status::kWarning);
  EXPECT_THAT(with_fewer(21).reason,
              HasSubstr("21 topics of 40 have fewer than half of the baseline's hits (T1000, "));
}

TEST(GateInput, ScoresThatDoNotOrderTheDocuments) {
  Nights nights;
  nights.tonight.lines = {.topics = 40, .tied = 20, .reversed = 20};
  EXPECT_EQ(rule_of(nights.gated(), "input.scores").status, Status::kPass);
  nights.tonight.lines = {.topics = 40, .tied = 21};
  expect_bad_input(nights.gated(), "input.scores");
  nights.tonight.lines = {.topics = 40, .reversed = 21};
  expect_bad_input(nights.gated(), "input.scores");
  nights.tonight.lines.reset();  // stored
  nights.tonight.scores_fault = "Scores rise.";
  expect_bad_input(nights.gated(), "input.scores");
}

TEST(GateInput, DocumentsThatLeftTheIndexAreNamed) {
  Nights nights;
  nights.tonight.index.judged_found = 150;
  nights.tonight.missing = {Docno("T1003-D2"), Docno("never found")};
  EXPECT_THAT(rule_of(nights.gated(), "input.judged_found").reason,
              HasSubstr("; gone are T1003-D2."));
}

// 2 of 160 citations are more than 1 %, also if 5 other documents came.
TEST(GateInput, DocumentsThatCameHideNoneThatLeftTheIndex) {
  Nights nights;
  nights.baseline.index.judged_found = 150;
  nights.tonight.index.judged_found = 153;
  nights.tonight.missing = {Docno("T1003-D2")};
  EXPECT_EQ(rule_of(nights.gated(), "input.judged_found").status, Status::kPass);
  nights.tonight.missing.emplace_back("T1007-D2");
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.judged_found");
  EXPECT_THAT(rule_of(verdict, "input.judged_found").reason,
              AllOf(HasSubstr("2 relevant citations of 160 that the baseline found left the index"),
                    HasSubstr("; gone are T1003-D2, T1007-D2.")));
}

/// The rule that a pinned record breaks; empty if it breaks none.
std::string refused_rule(const EvaluationRecord& record) {
  for (const GateVerdict::Rule& rule : pin_checks(record)) {
    if (rule.status == Status::kBadInput) return rule.id;
  }
  return {};
}

TEST(PinChecks, RefuseBrokenInput) {
  const EvaluationRecord good = evaluation_record(steady_topics(40));
  EXPECT_EQ(refused_rule(good), "");
  EvaluationRecord record = good;
  for (EvaluationRecord::Topic& topic : record.topics) topic.found.clear();
  EXPECT_EQ(refused_rule(record), "input.judged_found");
  record = good;
  record.docno_hint = {
      .policy = DocnoPolicy::kPatent, .judged = 160, .matched = 3, .would_match = 99};
  EXPECT_EQ(refused_rule(record), "input.judged_found");
  record = good;
  for (std::size_t i = 0; i < 21; ++i) record.topics[i].served = false;
  EXPECT_EQ(refused_rule(record), "input.topics");
  record = good;
  record.topics[0].duplicates = 41;  // of 40,000 hits
  EXPECT_EQ(refused_rule(record), "input.duplicates");
  record = good;
  record.lines = {.topics = 40, .tied = 40};
  EXPECT_EQ(refused_rule(record), "input.scores");
  record = good;
  record.scores_fault = "Scores rise.";
  EXPECT_EQ(refused_rule(record), "input.scores");
}

TEST(GateInput, OtherJudgementsAreBadInput) {
  Nights nights;
  nights.tonight.qrels.hash = "fedcba9876543210";
  nights.tonight.qrels.relevant = 161;
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.qrels");
  EXPECT_THAT(rule_of(verdict, "input.qrels").reason,
              AllOf(HasSubstr("160 relevant citations from grade 1 on (0123456789abcdef)"),
                    HasSubstr("161 relevant citations from grade 1 on (fedcba9876543210)"),
                    HasSubstr("pin a new baseline")));
}

TEST(GateInput, AnotherMinGradeIsBadInput) {
  Nights nights;
  nights.tonight.qrels.min_grade = 2;
  expect_bad_input(nights.gated(), "input.qrels");
}

TEST(GateInput, UnservedTopicsAreBadInput) {
  Nights nights;
  for (const std::size_t i : {3U, 7U}) {
    nights.tonight.topics[i].served = false;
    nights.tonight.topics[i].found.clear();
  }
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.topics");
  EXPECT_THAT(rule_of(verdict, "input.topics").reason,
              HasSubstr("2 topics of the 40 that the baseline served were not served tonight "
                        "(T1003, T1007); 0 accepted"));
}

TEST(GateInput, TopicsAcceptedAsMissingFindNothing) {
  Nights nights;
  nights.tonight.topics[3].served = false;
  nights.tonight.topics[3].found.clear();
  const GateVerdict verdict = nights.gated({.input = {.topics_missing = 1}});
  EXPECT_EQ(rule_of(verdict, "input.topics").status, Status::kPass);
  EXPECT_EQ(rule_of(verdict, "catastrophe.emptied").status, Status::kFail);
}

TEST(GateInput, ATopicThatTheBaselineDidNotServeIsNotMissing) {
  Nights nights;
  nights.baseline.topics[3].served = nights.tonight.topics[3].served = false;
  EXPECT_EQ(rule_of(nights.gated(), "input.topics").status, Status::kPass);
}

// 39 topics lose 5 of 100 ranks in each of their citations, 0.05 of PRES@100; the 40th came new.
TEST(GateInput, ATopicThatOnlyTonightServedHidesNoLoss) {
  Nights nights;
  for (auto& topic : nights.tonight.topics) {
    for (EvaluationRecord::Found& found : topic.found) found.rank += 5;
  }
  nights.baseline.topics[3].served = false;
  nights.baseline.topics[3].found.clear();
  const GateVerdict verdict = nights.gated();
  EXPECT_EQ(verdict.outcome, GateOutcome::kRegression);
  EXPECT_FALSE(verdict.identical);
  EXPECT_EQ(verdict.measures.front().topics, 39);
  EXPECT_NEAR(*verdict.measures.front().difference, -0.05, 1e-12);
  EXPECT_EQ(rule_of(verdict, "input.topics").status, Status::kWarning);
  EXPECT_THAT(rule_of(verdict, "input.topics").reason,
              HasSubstr("served tonight: 39; 1 topic that it did not serve"));
}

TEST(GateInput, ShallowerSearchIsBadInput) {
  Nights nights;
  nights.tonight.depth = 50;
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.depth");
  EXPECT_THAT(rule_of(verdict, "input.depth").reason,
              AllOf(HasSubstr("50 deep, the baseline's 1000, and the rules read up to rank 100"),
                    HasSubstr("not the ranking")));
}

TEST(GateInput, ADeeperSearch) {
  Nights nights;
  nights.baseline.depth = 50;
  expect_bad_input(nights.gated(), "input.depth");
}

TEST(GateInput, DepthsBeyondTheRulesMayDiffer) {
  Nights nights;
  nights.tonight.depth = 100;
  EXPECT_EQ(rule_of(nights.gated(), "input.depth").status, Status::kPass);
  nights.tonight.depth = 99;
  EXPECT_EQ(rule_of(nights.gated(), "input.depth").status, Status::kBadInput);
  // R reads every rank.
  nights.baseline.measures = parse_measures("R");
  nights.tonight.depth = 999;
  const GateVerdict verdict = nights.gated({.decisions = {{Measure::parse("R")}}});
  EXPECT_EQ(rule_of(verdict, "input.depth").status, Status::kBadInput);
}

/// 40 topics of a run: `ended` of them stop at rank 60, the others before.
GateVerdict::Rule depth_rule_of_run(std::size_t ended) {
  Nights nights;
  nights.forget_indexes();
  nights.tonight.depth = 60;
  for (std::size_t i = 0; i < nights.tonight.topics.size(); ++i) {
    nights.tonight.topics[i].num_ret = i < ended ? 60 : 59;
  }
  return rule_of(nights.gated(), "input.depth");
}

TEST(GateInput, LongestRankingOfARunIsItsDepthOnlyIfManyEndThere) {
  EXPECT_EQ(depth_rule_of_run(3).status, Status::kPass);
  EXPECT_EQ(depth_rule_of_run(4).status, Status::kBadInput);  // a tenth
}

TEST(GateInput, AJumpInTheNumberOfDocuments) {
  Nights nights;
  nights.tonight.index.documents = 12'000;
  EXPECT_EQ(rule_of(nights.gated(), "input.documents").status, Status::kPass);
  for (const std::uint64_t documents : {12'001U, 7'999U, 0U}) {
    nights.tonight.index.documents = documents;
    expect_bad_input(nights.gated(), "input.documents");
  }
  GateRules a_tenth;
  a_tenth.input.documents_change = 0.1;
  nights.tonight.index.documents = 11'000;  // 1.1 - 1 is more than 0.1 in binary
  EXPECT_EQ(rule_of(nights.gated(a_tenth), "input.documents").status, Status::kPass);
  nights.tonight.index.documents = 5'000;
  EXPECT_THAT(rule_of(nights.gated(), "input.documents").reason,
              HasSubstr("has 5000 documents, the baseline's had 10000: -50.0 %, 20.0 % accepted"));
}

TEST(GateInput, KindCodesThatChangedAreAnIdProblemAndNoRegression) {
  Nights nights;
  nights.baseline.index.judged_found = 159;
  nights.tonight.index.judged_found = 0;
  for (EvaluationRecord::Topic& topic : nights.tonight.topics) topic.found.clear();
  nights.tonight.docno_hint =
      DocnoHint{.policy = DocnoPolicy::kPatent, .judged = 160, .matched = 0, .would_match = 159};
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.judged_found");
  EXPECT_EQ(rule_of(verdict, "input.judged_found").reason,
            "Judged docnos found in the index fell from 99.4 % to 0.0 % (159 and 0 of 160), 1.0 % "
            "accepted: an id problem, not a ranking regression: 0 of 160 judged docnos match, "
            "under docno policy patent it would be 159; these are other kind codes: use --docno "
            "patent, for the baseline too.");
}

TEST(GateInput, OtherIdsForTheSameNumberOfDocumentsAreAnIdProblem) {
  Nights nights;
  nights.tonight.index.judged_found = 150;  // 93.75 %
  const std::string reason = rule_of(nights.gated(), "input.judged_found").reason;
  EXPECT_THAT(reason, AllOf(HasSubstr("from 100.0 % to 93.8 %"), HasSubstr("an id problem"),
                            HasSubstr("no fewer documents than before (10000)")));
}

TEST(GateInput, RemovedDocumentsAreNoIdProblem) {
  Nights nights;
  nights.tonight.index.judged_found = 150;
  nights.tonight.index.documents = 9'000;
  const std::string reason = rule_of(nights.gated(), "input.judged_found").reason;
  EXPECT_THAT(reason, AllOf(HasSubstr("9000 of 10000 are left"), HasSubstr("no ranking regression"),
                            Not(HasSubstr("an id problem"))));
  // A hint that explains less than half of it is not the cause: 10 are gone, 4 would match.
  nights.tonight.docno_hint =
      DocnoHint{.policy = DocnoPolicy::kPatent, .judged = 160, .matched = 150, .would_match = 154};
  EXPECT_EQ(rule_of(nights.gated(), "input.judged_found").reason, reason);
}

TEST(GateInput, LosingUpToOnePercentOfJudgedDocumentsPasses) {
  Nights nights;
  nights.baseline.qrels.relevant = nights.tonight.qrels.relevant = 1000;
  nights.baseline.index.judged_found = 990;
  for (const std::uint64_t found : {981U, 980U}) {  // 0.9 and 1.0 % below
    nights.tonight.index.judged_found = found;
    EXPECT_EQ(rule_of(nights.gated(), "input.judged_found").status, Status::kPass) << found;
  }
  nights.tonight.index.judged_found = 979;
  expect_bad_input(nights.gated(), "input.judged_found");
}

TEST(GateInput, RetrievedShareOfARunIsOnlyAWarning) {
  Nights nights;
  nights.forget_indexes();
  EXPECT_EQ(rule_of(nights.gated(), "input.judged_found").status, Status::kSkipped);
  for (EvaluationRecord::Topic& topic : nights.tonight.topics) topic.found.clear();
  const GateVerdict verdict = nights.gated();
  EXPECT_EQ(verdict.outcome, GateOutcome::kRegression);
  EXPECT_EQ(rule_of(verdict, "input.judged_found").status, Status::kWarning);
  EXPECT_THAT(rule_of(verdict, "input.judged_found").reason, HasSubstr("from 100.0 % to 0.0 %"));
}

TEST(GateInput, LossOfARunThatAnotherPolicyExplainsIsAnIdProblem) {
  Nights nights;
  nights.forget_indexes();
  for (EvaluationRecord::Topic& topic : nights.tonight.topics) topic.found.clear();
  nights.tonight.docno_hint =
      DocnoHint{.policy = DocnoPolicy::kPatent, .judged = 160, .matched = 0, .would_match = 155};
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.judged_found");
  EXPECT_THAT(
      rule_of(verdict, "input.judged_found").reason,
      AllOf(HasSubstr("an id problem, not a ranking regression"), HasSubstr("use --docno patent")));
  // The baseline lacks the same documents: nothing has changed.
  nights.baseline.topics = nights.tonight.topics;
  nights.baseline.docno_hint = nights.tonight.docno_hint;
  EXPECT_EQ(rule_of(nights.gated(), "input.judged_found").status, Status::kSkipped);
}

TEST(GateInput, RepeatedDocuments) {
  Nights nights;
  EXPECT_EQ(rule_of(nights.gated(), "input.duplicates").reason,
            "No ranking has a judged document twice.");  // others of an engine are not known
  nights.tonight.topics[0].duplicates = 40;              // of 40,000 hits: 0.1 %
  EXPECT_EQ(rule_of(nights.gated(), "input.duplicates").status, Status::kPass);
  nights.tonight.topics[1].duplicates = 1;
  const GateVerdict verdict = nights.gated();
  expect_bad_input(verdict, "input.duplicates");
  EXPECT_THAT(rule_of(verdict, "input.duplicates").reason,
              AllOf(HasSubstr("41 of 40000 hits in 2 topics repeat a judged document"),
                    HasSubstr("or publications that the docno policy takes for one")));
}

TEST(GateInput, IncomparableEvaluationsAreRefused) {
  Nights nights;
  nights.tonight.qrels.docno = DocnoPolicy::kPatent;
  try {
    (void)nights.gated();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(),
                 "baseline 'main' was made with docno policy raw, tonight with patent; "
                 "evaluate with --docno raw, or pin a new baseline");
  }
  nights.tonight = evaluation_record({topic_found_at("OTHER", {1})});
  EXPECT_THROW((void)nights.gated(), Error);
}

}  // namespace
}  // namespace prescope::testing
