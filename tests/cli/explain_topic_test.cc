// prescope explain QRELS RUN TOPIC: the arithmetic, checked by hand, and the drawing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/runs/topic_explanation.h"
#include "report/text/tables.h"
#include "support/evaluate_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Four relevant documents at ranks 1, 3, 10 of 11, and one that is missing.
void set_up_topic(const Workspace& workspace) {
  workspace.write("qrels.txt", "T1 0 A 1\nT1 0 B 1\nT1 0 C 2\nT1 0 Missing 1\nT2 0 A 1\n");
  std::string run;
  for (int rank = 1; rank <= 11; ++rank) {
    const std::string docno = rank == 1 ? "A" : rank == 3 ? "B" : rank == 10 ? "C" : "X";
    run += fmt::format("T1 Q0 {}{} {} {} x\n", docno, docno == "X" ? std::to_string(rank) : "",
                       rank, 100 - rank);
  }
  workspace.write("x.run", run);
}

TEST(ExplainTopic, PrintsTheArithmetic) {
  const Workspace workspace(set_up_topic);
  const Outcome outcome =
      workspace.run({"explain", "qrels.txt", "x.run", "T1", "-m", "PRES@10,R@10,AP@10,P@5"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  // The reference vector n = 4, ranks 1, 3, 10, N = 10: .55; credits 10 + j - r.
  EXPECT_THAT(outcome.out,
              HasSubstr(R"(Topic T1 in x: 4 relevant documents, 11 retrieved, 3 of them relevant

PRES@10, n = 4, N = 10

  rank r  j  credit N + j - r  of PRES  grade  docno
  ──────────────────────────────────────────────────
       1  1                10   0.2500      1  A
       3  2                 9   0.2250      1  B
      10  3                 3   0.0750      2  C

  PRES@10 = (10 + 9 + 3) / (n N) = 22 / (4 * 10) = 0.5500
)"));
  // 4 * (3/4)^2 / 10 and 3/4; (1/1 + 2/3 + 3/10) / 4.
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("from 0.2250, at the last ranks (n R^2 / N), to 0.7500"),
                                 HasSubstr("R@10 = 3 / 4 = 0.7500\n"),
                                 HasSubstr("AP@10 = (1/1 + 2/3 + 3/10) / 4 = 0.4917\n"),
                                 HasSubstr("P@5 = 0.4000 ('prescope explain P' says how)\n"),
                                 HasSubstr("1 relevant document not found in the first 10 ranks\n"),
                                 HasSubstr("Missing      1  not retrieved\n")));
}

TEST(ExplainTopic, DocumentBehindTheCutoffIsMissingWithItsRank) {
  const Workspace workspace(set_up_topic);
  const Outcome outcome = workspace.run({"explain", "qrels.txt", "x.run", "T1", "-m", "PRES@5"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("= 9 / (4 * 5) = 0.4500"),  // 5 + 4
                                 HasSubstr("2 relevant documents not found in the first 5 ranks"),
                                 HasSubstr("C            2  rank 10\n")));
}

TEST(ExplainTopic, MeasureWithAGradeOfItsOwnHasAValueWithoutRelevantDocuments) {
  const Workspace workspace(set_up_topic);
  std::vector<std::string> arguments = {"explain",     "qrels.txt", "x.run", "T1",
                                        "--min-grade", "3",         "-m",    "PRES@10,R@10"};
  EXPECT_THAT(workspace.run(arguments).out, HasSubstr("No measure has a value"));
  arguments.back() += ",AP(rel=1)@10";
  const Outcome outcome = workspace.run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  // (1/1 + 2/3 + 3/10) / 4
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("AP(rel=1)@10 = 0.4917"), HasSubstr("PRES@10 has no value here"),
                    HasSubstr("R@10 has no value here"), Not(HasSubstr("No measure has a value"))));
}

TEST(ExplainTopic, ExplainsATopicThatTheRunLacks) {
  const Workspace workspace(set_up_topic);
  const Outcome outcome = workspace.run({"explain", "qrels.txt", "x.run", "T2"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("x does not have topic T2"), HasSubstr("R@100 = 0 / 1"),
                                 HasSubstr("PRES@100 = (0) / (n N) = 0 / (1 * 100) = 0.0000")));
}

TEST(ExplainTopic, UnknownTopicSuggestsTheNearest) {
  const Workspace workspace(set_up_topic);
  const Outcome outcome = workspace.run({"explain", "qrels.txt", "x.run", "t2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "prescope: qrels.txt: no topic 't2' among 2; did you mean 'T2'?\n");
}

TEST(ExplainTopic, TwoArgumentsAreAUsageError) {
  const Workspace workspace(set_up_topic);
  const Outcome outcome = workspace.run({"explain", "qrels.txt", "x.run"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("2 arguments; expected one (MEASURE) or three"));
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(TopicCurve, AreasAreInTheProportionOfPres) {
  // 14 ranks and 4 documents fill 84 columns and 4 rows without rest.
  const std::vector<Rank> found = {1, 3, 10};
  const std::string drawing = draw_topic_curve(pres_curve(4, 10, found), 88);
  const std::size_t earned = count(drawing, "█"), lost = count(drawing, "░");
  EXPECT_EQ(earned + lost, 10U * 4U * 6U);  // n N cells, 6 columns a rank
  EXPECT_EQ(earned, 22U * 6U);              // the sum of the credits
}

TEST(TopicCurve, BestRanksFillAllAndWorstFillNothing) {
  const std::vector<Rank> best = {1, 2, 3};
  EXPECT_EQ(count(draw_topic_curve(pres_curve(3, 100, best), 100), "░"), 0U);
  EXPECT_EQ(count(draw_topic_curve(pres_curve(3, 100, {}), 100), "█"), 0U);
}

TEST(TopicCurve, KeepsToItsWidth) {
  const std::vector<Rank> found = {2, 500, 999};
  for (const std::size_t width : {40U, 77U, 100U, 160U}) {
    for (const std::uint32_t n : {3U, 12U, 755U, 5000U}) {
      std::istringstream lines(draw_topic_curve(pres_curve(n, 1000, found), width));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
    }
  }
}

}  // namespace
}  // namespace prescope::testing
