#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/measure.h"
#include "support/program.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
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

}  // namespace
}  // namespace prescope::testing
