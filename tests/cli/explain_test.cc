// The words of prescope explain, and the drawing of a topic; transcripts/explain_topic.transcript
// has the arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/measure.h"
#include "report/runs/topic_explanation.h"
#include "report/text/tables.h"
#include "support/program.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

Outcome explain(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explain");
  return run_program({.arguments = std::move(arguments), .environment = {}});
}

TEST(Explain, PrintsTheWordsOfEveryDefinition) {
  for (const MeasureDefinition* measure : measure_table()) {
    const Outcome outcome = explain({std::string(measure->name)});
    EXPECT_EQ(outcome.exit_code, 0);
    const std::string text = unwrapped(outcome.out);
    for (const std::string_view part :
         {measure->meaning, measure->formula, measure->source, measure->range, measure->example}) {
      EXPECT_THAT(text, HasSubstr(unwrapped(std::string(part)))) << measure->name;
    }
  }
}

TEST(Explain, ListsAllMeasuresWithoutAName) {
  const Outcome outcome = explain({});
  for (const MeasureDefinition* measure : measure_table()) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string(measure->name) + " "));
  }
}

TEST(Explain, KeepsToTheWidthOfATerminal) {
  std::istringstream lines(explain({"PRES"}).out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100) << line;
}

TEST(Explain, ExplainsMeasuresWithParametersAndNamesOfMeans) {
  EXPECT_EQ(explain({"PRES@100"}).out, explain({"PRES"}).out);
  EXPECT_EQ(explain({"MAP"}).out, explain({"AP"}).out);
  EXPECT_EQ(explain({"Recall@1000"}).out, explain({"R"}).out);
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
