// Conditions of two nights, and what their indexes hold: each difference is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nightly/gate/gate.h"
#include "support/evaluation_records.h"

namespace prescope::testing::conditions {
namespace {

using Status = GateVerdict::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// The baseline and tonight, equal except for the changes of a test.
struct Nights {
  EvaluationRecord baseline = evaluation_record(steady_topics(40));
  EvaluationRecord tonight = baseline;

  [[nodiscard]] GateVerdict gated() const { return gate(baseline_of(baseline), tonight, {}); }
};

void expect_bad_input(const GateVerdict& verdict, std::string_view id) {
  EXPECT_EQ(verdict.outcome, GateOutcome::kBadInput);
  EXPECT_EQ(rule_of(verdict, id).status, Status::kBadInput);
}

TEST(GateConditions, ConditionsUnderWhichTheSameRankingScoresOtherwiseAreBadInput) {
  Nights nights;
  nights.baseline.index = nights.tonight.index = {};
  nights.baseline.config = nights.tonight.config = "";
  nights.baseline.conditions = {{"run.order", "file"}, {"run.score", "double"}};
  nights.tonight.conditions = nights.baseline.conditions;
  EXPECT_EQ(rule_of(nights.gated(), "input.conditions").status, Status::kPass);
  nights.tonight.conditions[0].value = "trec";
  expect_bad_input(nights.gated(), "input.conditions");
  EXPECT_THAT(rule_of(nights.gated(), "input.conditions").reason,
              HasSubstr("run.order was file and is trec;"));
  nights.tonight.conditions.pop_back();
  EXPECT_THAT(rule_of(nights.gated(), "input.conditions").reason,
              HasSubstr("run.score was double and is not set;"));
}

TEST(GateConditions, ExclusionsOfAReplayAreConditions) {
  Nights nights;
  nights.baseline.config = "engine = 'toy'\n[topics]\nexclude = 'self'\n[[arms]]\nname = 'a'\n";
  nights.tonight.config = "engine = 'toy'\n[topics]\nexclude = 'none'\n[[arms]]\nname = 'a'\n";
  nights.tonight.conditions = {{"topics.exclude_pairs", "2 pairs"}};
  expect_bad_input(nights.gated(), "input.conditions");
  EXPECT_THAT(rule_of(nights.gated(), "input.conditions").reason,
              HasSubstr("topics.exclude was self and is none, topics.exclude_pairs was not set and "
                        "is 2 pairs;"));
  EXPECT_EQ(rule_of(nights.gated(), "input.arm").status, Status::kPass);
}

/// Ten judged documents with texts of their own.
std::vector<DocumentSample> ten_samples() {
  std::vector<DocumentSample> samples;
  for (std::uint64_t i = 1; i <= 10; ++i) {
    samples.push_back({Docno("EP100000" + std::to_string(i) + "A1"), 100 + i, 200 + i});
  }
  return samples;
}

struct IndexedNights : Nights {
  IndexedNights() {
    baseline.index.documents = 1000;
    baseline.index.passport = {
        .analyzer = "words", .fields = {{{"title", 1000}, {"claims", 1000}}}, .checksum = "1"};
    baseline.samples = ten_samples();
    tonight.index = baseline.index;
    tonight.samples = baseline.samples;
  }
  [[nodiscard]] GateVerdict::Rule index_rule() const { return rule_of(gated(), "input.index"); }
};

TEST(GateConditions, TheSameIndexPasses) {
  IndexedNights nights;
  EXPECT_EQ(nights.index_rule().status, Status::kPass);
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("by its checksum 1"));
  nights.tonight.index.passport.checksum = "2";  // another document came
  EXPECT_EQ(nights.index_rule().status, Status::kPass);
  nights.tonight.index.passport = {};
  nights.tonight.samples.clear();
  EXPECT_EQ(nights.index_rule().status, Status::kWarning);  // analyzer and fields are unknown now
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("index.analyzer was words and is unknown"));
}

TEST(GateConditions, TextsOfOtherDocumentsAreBadInput) {
  IndexedNights nights;
  for (std::size_t i = 0; i < 10; ++i) {
    nights.tonight.samples[i].stored = 100 + (i + 1) % 10 + 1;  // the next one's
    nights.tonight.samples[i].searched = 200 + (i + 1) % 10 + 1;
  }
  expect_bad_input(nights.gated(), "input.index");
  EXPECT_THAT(nights.index_rule().reason,
              AllOf(HasSubstr("10 judged documents of 10 looked at have another stored title and "
                              "abstract than at the baseline"),
                    HasSubstr("another indexed text"),
                    HasSubstr("10 have the text that another document had")));
}

TEST(GateConditions, EmptyStoredFieldsAreBadInput) {
  IndexedNights nights;
  for (DocumentSample& one : nights.tonight.samples) one.stored = kNothingStored;
  expect_bad_input(nights.gated(), "input.index");
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("10 have none any more"));
}

// documents_change accepts a fifth of lost ones.
TEST(GateConditions, ChangedTextsAreNamed) {
  IndexedNights nights;
  for (std::size_t i = 0; i < 9; ++i) nights.tonight.samples[i].stored = 300 + i;
  EXPECT_EQ(nights.index_rule().status, Status::kWarning);
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("9 judged documents of 10"));
  nights.tonight.samples[9].stored = 310;
  EXPECT_EQ(nights.index_rule().status, Status::kBadInput);
  nights.tonight.samples = nights.baseline.samples;
  for (std::size_t i = 0; i < 2; ++i) nights.tonight.samples[i].stored = kNothingStored;
  EXPECT_EQ(nights.index_rule().status, Status::kWarning);
  nights.tonight.samples[2].stored = kNothingStored;
  EXPECT_EQ(nights.index_rule().status, Status::kBadInput);
}

// Other stop words, for example: the ranking is judged, and the change is named beside it.
TEST(GateConditions, OtherTermsOfTheSameTextsAreNamed) {
  IndexedNights nights;
  for (std::size_t i = 0; i < 10; ++i) nights.tonight.samples[i].searched = 300 + i;
  EXPECT_EQ(nights.index_rule().status, Status::kWarning);
  EXPECT_THAT(nights.index_rule().reason,
              HasSubstr("10 judged documents of 10 looked at have another indexed text"));
  for (DocumentSample& one : nights.tonight.samples) one.searched = kNothingStored;
  EXPECT_EQ(nights.index_rule().status, Status::kBadInput);
}

TEST(GateConditions, AFieldThatMostDocumentsLostIsBadInput) {
  IndexedNights nights;
  nights.tonight.index.passport.fields->at(1).documents = 801;
  EXPECT_EQ(nights.index_rule().status, Status::kPass);
  nights.tonight.index.passport.fields->at(1).documents = 30;
  expect_bad_input(nights.gated(), "input.index");
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("3.0 % of the documents have a text in "
                                                    "'claims', at the baseline 100.0 %"));
  nights.tonight.index.passport.fields->pop_back();
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("no document has a text in 'claims' any more"));
}

TEST(GateConditions, AnotherAnalyzerIsNamed) {
  IndexedNights nights;
  nights.tonight.index.passport.analyzer = "other words";
  for (DocumentSample& one : nights.tonight.samples) one.searched = 1;  // other terms, of course
  EXPECT_EQ(nights.index_rule().status, Status::kWarning);
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("index.analyzer was words and is other words"));
}

TEST(GateConditions, WhatTheIndexHonoursInPartIsSaid) {
  IndexedNights nights;
  nights.tonight.index_notes = {"arm 'a': fields.claims reads a text that 3 of 100 have."};
  EXPECT_EQ(nights.index_rule().status, Status::kWarning);
  EXPECT_THAT(nights.index_rule().reason, HasSubstr("3 of 100"));
}

}  // namespace
}  // namespace prescope::testing::conditions
