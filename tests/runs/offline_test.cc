#include "prescope/offline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/errors.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Column = std::vector<std::string_view>;
using Scores = std::vector<double>;

/// t1 cites d1 and d3, t2 cites d1.
Qrels citations() {
  const Qrels::Line lines[] = {{TopicId("t1"), Docno("d1"), 1},
                               {TopicId("t1"), Docno("d3"), 1},
                               {TopicId("t2"), Docno("d1"), 1}};
  return Qrels::from_lines(lines);
}

/// Ranks d1 d2 d3 for t1 and d2 d1 for t2; the lines are in no order.
JudgedRun first_run(const Qrels& qrels) {
  return JudgedRun::from_columns(qrels, Column{"t2", "t1", "t1", "t2", "t1", "t9"},
                                 Column{"d1", "d3", "d1", "d2", "d2", "d1"},
                                 Scores{1.0, -0.5, 1e300, 2.0, 0.25, 7.0});
}

// By hand, with a cutoff of 4: t1 has its two at ranks 1 and 3, PRES = ((4+1-1) + (4+2-3)) / (2*4).
TEST(Offline, ScoresColumns) {
  const Qrels qrels = citations();
  const JudgedRun run = first_run(qrels);
  EXPECT_EQ(run.lines(), 6U);
  EXPECT_EQ(run.unjudged_topics(), 1U);
  const RunScores scores = evaluate(run, parse_measures("PRES@4,R@1,PRES@4"));
  ASSERT_EQ(scores.measures.size(), 2U) << "each once";
  ASSERT_EQ(scores.topics.size(), 2U);
  EXPECT_EQ(scores.topics[0].num_ret, 3U);
  EXPECT_EQ(scores.topics[0].num_rel_ret, 2U);
  EXPECT_EQ(scores.topics[0].scores[0], 7.0 / 8.0);
  EXPECT_EQ(scores.topics[1].scores[0], 3.0 / 4.0) << "t2 has its one at rank 2: (4+1-2) / 4";
  EXPECT_EQ(scores.topics[0].scores[1], 0.5);
  EXPECT_EQ(scores.topics[1].scores[1], 0.0);
  EXPECT_EQ(scores.means[0].mean, 13.0 / 16.0);
  EXPECT_EQ(scores.means[0].topics, 2U);
}

TEST(Offline, OptionsSayWhatCounts) {
  const Qrels qrels = citations();
  const JudgedRun of_t1 =
      JudgedRun::from_columns(qrels, Column{"t1", "t1"}, Column{"d2", "d1"}, Scores{2, 1});
  const auto recall = parse_measures("R@10");
  EXPECT_EQ(evaluate(of_t1, recall).means[0].mean, 0.25) << "t2 counts as 0";
  EXPECT_EQ(evaluate(of_t1, recall, {.only_topics_of_run = true}).means[0].mean, 0.5);
  EXPECT_EQ(evaluate(of_t1, recall, {.depth = 1}).means[0].mean, 0.0);
  const auto first = parse_measures("R@1");
  EXPECT_EQ(evaluate(of_t1, first, {.judged_only = true}).topics[0].scores[0], 0.5);
}

TEST(Offline, SaysWhereARunWasCutOff) {
  const Qrels qrels = citations();
  std::vector<std::string> names;
  for (int rank = 1; rank <= 10; ++rank) names.push_back("e" + std::to_string(rank));
  Column topics, docnos;
  Scores scores;
  for (const char* topic : {"t1", "t2"}) {
    for (const std::string& name : names) {
      topics.emplace_back(topic);
      docnos.emplace_back(name);
      scores.push_back(1.0);
    }
  }
  const JudgedRun run = JudgedRun::from_columns(qrels, topics, docnos, scores);
  const auto measures = parse_measures("R@10,R@100");
  EXPECT_EQ(evaluate(run, measures).ends_at, (std::vector<std::optional<Rank>>{std::nullopt, 10}));
  const RunDifference r100 = compare(run, run, measures)[1];
  EXPECT_EQ(r100.corrected, std::nullopt);
}

// Columns, and the file that has them as lines, are the same run to the last bit of a score.
TEST(Offline, ColumnsAreReadAsTheFileThatTheyStandFor) {
  const Qrels qrels = citations();
  const ScratchFolder folder;
  std::mt19937_64 random(20100719);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> topics, docnos;
    Scores scores;
    std::string file;
    for (int line = 0; line < 30; ++line) {
      topics.push_back("t" + std::to_string(1 + random() % 3));
      docnos.push_back("d" + std::to_string(random() % 8));
      // Few values, so that some tie and some differ in their last bit only.
      scores.push_back(std::nextafter(0.1 * static_cast<double>(random() % 3), random() % 2));
      file += fmt::format("{} Q0 {} 0 {:a} x\n", topics.back(), docnos.back(), scores.back());
    }
    const JudgedRun columns = JudgedRun::from_columns(qrels, Column(topics.begin(), topics.end()),
                                                      Column(docnos.begin(), docnos.end()), scores);
    const JudgedRun loaded = JudgedRun::load(qrels, folder.write("run", file));
    const auto measures = parse_measures("PRES@10,AP,R@5,nDCG@10");
    const RunScores a = evaluate(columns, measures), b = evaluate(loaded, measures);
    ASSERT_EQ(a.topics.size(), b.topics.size());
    for (std::size_t t = 0; t < a.topics.size(); ++t) {
      ASSERT_EQ(a.topics[t].scores, b.topics[t].scores) << file;
    }
  }
}

// With two topics Student's t has one degree of freedom, so that the 95 % interval reaches
// 12.706204736 standard errors to either side. Of the four ways to flip the signs of the two
// differences, two have a mean as far from 0: p = 1/2.
TEST(Offline, ComparesTwoRunsByAPairedTest) {
  const Qrels qrels = citations();
  const JudgedRun a =
      JudgedRun::from_columns(qrels, Column{"t1", "t1", "t1", "t2", "t2", "t2"},
                              Column{"d1", "d2", "d3", "d2", "d4", "d5"}, Scores{3, 2, 1, 3, 2, 1});
  const JudgedRun b =
      JudgedRun::from_columns(qrels, Column{"t1", "t1", "t2", "t2", "t2"},
                              Column{"d1", "d3", "d7", "d8", "d1"}, Scores{2, 1, 3, 2, 1});
  const std::vector<RunDifference> found = compare(a, b, parse_measures("PRES@8"));
  ASSERT_EQ(found.size(), 1U);
  const RunDifference& pres = found.front();
  // t1: ranks 1, 3 and 1, 2: 15/16 and 16/16. t2: none and 3: 0 and 6/8.
  EXPECT_EQ(pres.mean_a, 15.0 / 32.0);
  EXPECT_EQ(pres.mean_b, 28.0 / 32.0);
  ASSERT_EQ(pres.topics.size(), 2U);
  EXPECT_EQ(pres.topics[1].difference, 0.75);
  EXPECT_EQ(pres.wins, 2U);
  // Differences of 1/16 and 12/16: mean 13/32, standard error 11/32.
  EXPECT_NEAR(pres.difference.value(), 13.0 / 32.0, 1e-15);
  EXPECT_EQ(pres.p_value, 0.5);
  EXPECT_EQ(pres.corrected, 0.5) << "one measure";
  EXPECT_NEAR(pres.ci_high.value() - pres.ci_low.value(), 2 * 12.706204736432095 * 11.0 / 32.0,
              1e-9);
  EXPECT_EQ(pres.verdict, Verdict::kNoDifference);
}

TEST(Offline, RefusesColumnsThatAreNoRun) {
  const Qrels qrels = citations();
  const auto columns = [&](const Column& topics, const Column& docnos, const Scores& scores) {
    return refusal_of([&] { (void)JudgedRun::from_columns(qrels, topics, docnos, scores); })
        .message;
  };
  EXPECT_THAT(columns({"t1"}, {"d1", "d2"}, {1}), HasSubstr("1 topics, 2 docnos and 1 scores"));
  EXPECT_THAT(columns({"t1", "t1"}, {"d1", ""}, {2, 1}),
              HasSubstr("line 2, topic 't1': the docno is empty"));
  for (const char* name : {"d 1", "d\t1", "d1\n", "\r"}) {
    EXPECT_THAT(columns({"t1"}, {name}, {1}), HasSubstr("line 1, topic 't1': the docno")) << name;
  }
  EXPECT_THAT(columns({"#t1"}, {"d1"}, {1}), HasSubstr("as a comment does"));
  EXPECT_THAT(columns({"t1"}, {"d1"}, {std::nan("")}), HasSubstr("line 1: the score"));
  EXPECT_THAT(columns({"t8"}, {"d1"}, {1}), AllOf(HasSubstr("the columns"), HasSubstr("'t8'")));
  EXPECT_THAT(columns({}, {}, {}), HasSubstr("the columns"));
  const Column one = {"t1"};
  const Scores score = {1.0};
  EXPECT_THAT(refusal_of([&] { (void)JudgedRun::from_columns(Qrels(), one, one, score); }).message,
              HasSubstr("the qrels have no topic"));
  EXPECT_EQ(columns({"t1"}, {"d1"}, {-std::numeric_limits<double>::infinity()}),
            "nothing was thrown");
}

TEST(Offline, RefusesWhatCannotBeCompared) {
  const Qrels qrels = citations(), others = citations();
  const JudgedRun run = first_run(qrels);
  const auto measures = parse_measures("PRES@10");
  EXPECT_THAT(refusal_of([&] { (void)compare(run, first_run(others), measures); }).message,
              HasSubstr("different judgements"));
  EXPECT_THAT(refusal_of([&] { (void)compare(run, run, measures, {.confidence = 1.0}); }).message,
              HasSubstr("the confidence 1; expected a number in (0, 1)"));
  EXPECT_THAT(refusal_of([&] { (void)evaluate(run, measures, {.depth = 0}); }).message,
              HasSubstr("a depth of 0"));
  EXPECT_EQ(compare(run, run, measures)[0].verdict, Verdict::kIdentical);
}

}  // namespace
}  // namespace prescope
