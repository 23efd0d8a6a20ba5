#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "support/study_workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome correlation(const Workspace& workspace, std::vector<std::string> more) {
  more.insert(more.begin(), {"study", "correlation"});
  return workspace.run(more);
}

// x = 5 4 4 2 1, y = 5 4 3 3 1, in statistics section 7: C = 8, D = 0, a pair tied in each;
// tau-a 8/10, tau-b 8/9.
TEST(StudyCorrelation, OfATableWithTies) {
  const Workspace workspace;
  workspace.write("t.tsv", "run\tX\tY\nA\t5\t5\nB\t4\t4\nC\t4\t3\nD\t2\t3\nE\t1\t1\n");
  const Outcome outcome = correlation(workspace, {"--scores", "t.tsv", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = json::parse(outcome.out);
  const json& pair = document["correlations"][0];
  EXPECT_EQ(pair["concordant"], 8);
  EXPECT_EQ(pair["tied_x"], 1);
  EXPECT_EQ(pair["tied_y"], 1);
  EXPECT_DOUBLE_EQ(pair["tau_a"], 0.8);
  EXPECT_DOUBLE_EQ(pair["tau_b"], 8.0 / 9.0);
  EXPECT_EQ(document["systems"][2]["places"], json({2.5, 3.5}));
  EXPECT_TRUE(document["repeated_documents"].is_null());
  EXPECT_THAT(correlation(workspace, {"--scores", "t.tsv"}).out,
              HasSubstr("X  Y  0.8889  0.8000 "));
}

// PRES@4 of early, late, third: .75, .625, .625; R@2: .75, .25, .5. early stands above both by
// both; late and third tie by PRES.
TEST(StudyCorrelation, OfRunsUsesTheirMeans) {
  const Workspace workspace(set_up_studies);
  const Outcome outcome = correlation(workspace, {"qrels.txt", "early.run", "late.run", "third.run",
                                                  "-m", "PRES@4,R@2", "--json", "-"});
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["measures"], json({"PRES@4", "R@2"}));
  EXPECT_EQ(document["systems"][1]["scores"], json({0.625, 0.25}));
  const json& pair = document["correlations"][0];
  EXPECT_EQ(pair["concordant"], 2);
  EXPECT_EQ(pair["tied_x"], 1);
  EXPECT_DOUBLE_EQ(pair["tau_b"], 2.0 / std::sqrt(6.0));
  // By PRES late stands above third, by name; R has third above: 2 / 2 * (1/1 + 1/2) - 1.
  EXPECT_DOUBLE_EQ(pair["tau_ap_of_x"], 0.5);
}

TEST(StudyCorrelation, ChoosesColumnsOfATable) {
  const Workspace workspace;
  workspace.write("t.tsv", "run\tX\tY\tZ\nA\t5\t5\t1\nB\t4\t4\t2\n");
  const json document =
      json::parse(correlation(workspace, {"--scores", "t.tsv", "-m", "Z,X", "--json", "-"}).out);
  EXPECT_EQ(document["measures"], json({"Z", "X"}));
  EXPECT_DOUBLE_EQ(document["correlations"][0]["tau_b"], -1.0);
  EXPECT_THAT(correlation(workspace, {"--scores", "t.tsv", "-m", "XX"}).err,
              HasSubstr("unknown measure of the table 'XX'; did you mean 'X'?"));
}

TEST(StudyCorrelation, ScoresBelowZeroHideNoMeasureInTheFigure) {
  const Workspace workspace;
  workspace.write("t.tsv", "run\tX\tY\tZ\nA\t-1\t5\t1\nB\t4\t4\t2\n");
  EXPECT_EQ(correlation(workspace, {"--scores", "t.tsv", "--svg", "figures"}).exit_code, 0);
  EXPECT_THAT(workspace.read("figures/correlation-scores.svg"),
              AllOf(HasSubstr(">X</text>"), HasSubstr(">Y</text>"), HasSubstr(">Z</text>")));
}

// A character is 8 wide, and a title that stands upright reaches 4 to the right of its place.
TEST(StudyCorrelation, NumbersBesideAnAxisStandClearOfItsTitle) {
  const Workspace workspace;
  workspace.write("t.tsv", "run\tX\tY\nA\t0.0151\t0.01\nB\t0.012\t0.011\n");
  EXPECT_EQ(correlation(workspace, {"--scores", "t.tsv", "--svg", "figures"}).exit_code, 0);
  const std::string svg = workspace.read("figures/correlation-scores.svg");
  std::smatch number, title;
  ASSERT_TRUE(std::regex_search(svg, number, std::regex("x=\"([0-9.]+)\"[^>]*>0\\.015<")));
  ASSERT_TRUE(std::regex_search(svg, title, std::regex("translate\\(([0-9.]+) ")));
  EXPECT_GT(std::stod(number[1]) - 8.0 * 5.0, std::stod(title[1]) + 4.0);
}

// late.run repeats A: three lines. R@4 of late counted once is (1 + 1) / 2, at every line
// (4/2 + 1) / 2.
TEST(StudyCorrelation, ShowsTheEffectOfRepeatedDocuments) {
  const Workspace workspace(set_up_studies);
  workspace.write("late.run",
                  "T1 Q0 A 1 9 l\nT1 Q0 A 2 8 l\nT1 Q0 B 3 7 l\nT1 Q0 A 4 6 l\n"
                  "T2 Q0 X 1 9 l\nT2 Q0 Y 2 8 l\nT2 Q0 D 3 7 l\n");
  workspace.write("third.run", "T1 Q0 A 1 9 t\nT1 Q0 B 2 8 t\nT2 Q0 D 1 9 t\n");
  const std::vector<std::string> runs = {"qrels.txt", "late.run", "third.run", "-m", "R@4,nDCG@4"};
  std::vector<std::string> arguments = runs;
  arguments.insert(arguments.end(), {"--json", "-"});
  const json document = json::parse(correlation(workspace, arguments).out);
  const json& repeated = document["repeated_documents"];
  EXPECT_EQ(repeated["systems"], json::parse(R"([{"system": "late", "lines": 2, "topics": 1}])"));
  ASSERT_EQ(repeated["measures"].size(), 1U);  // nDCG has no such value
  EXPECT_EQ(repeated["measures"][0]["once"], json({1.0, 1.0}));
  EXPECT_EQ(repeated["measures"][0]["every_line"], json({1.5, 1.0}));
  EXPECT_EQ(repeated["measures"][0]["places_once"], json({1.5, 1.5}));
  EXPECT_EQ(repeated["measures"][0]["places_every_line"], json({1.0, 2.0}));
  EXPECT_THAT(correlation(workspace, runs).out,
              AllOf(HasSubstr("late (2 lines in 1 topic)"), HasSubstr("+0.5")));
}

TEST(StudyCorrelation, CsvHasARowForEachPairOfMeasures) {
  const Workspace workspace(set_up_studies);
  std::istringstream csv(
      correlation(workspace, {"qrels.txt", "early.run", "late.run", "--csv", "-"}).out);
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line.substr(0, 19));
  EXPECT_THAT(lines, ElementsAre("x,y,concordant,disc", "AP@1000,R@1000,0,0,",
                                 "AP@1000,PRES@1000,1", "R@1000,PRES@1000,0,"));
}

TEST(StudyCorrelation, RefusesBadInput) {
  const Workspace workspace(set_up_studies);
  const auto refusal = [&](std::vector<std::string> arguments) {
    const Outcome outcome = correlation(workspace, std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("expected QRELS and at least 2 runs; found 0"));
  EXPECT_THAT(refusal({"qrels.txt", "early.run"}), HasSubstr("at least 2 runs; found 1"));
  EXPECT_THAT(refusal({"qrels.txt", "early.run", "late.run", "-m", "PREZ@10"}), HasSubstr("PREZ"));
  EXPECT_THAT(refusal({"qrels.txt", "early.run", "late.run", "-m", "Rnorm"}),
              HasSubstr("Rnorm has no value for run early; leave it out of --measures"));
  EXPECT_THAT(refusal({"qrels.txt", "early.run", "late.run", "--rbo-p", "1"}),
              HasSubstr("--rbo-p: 1 is not between 0 and 1"));
  EXPECT_THAT(refusal({"qrels.txt", "early.run", "--scores", "t.tsv"}),
              HasSubstr("exclude each other"));
  EXPECT_THAT(refusal({"--scores", "none.tsv"}), HasSubstr("none.tsv"));
  const auto table = [&](const char* text) {
    workspace.write("t.tsv", text);
    return refusal({"--scores", "t.tsv"});
  };
  EXPECT_THAT(table("A\t5\t5\nB\t4\t4\n"), HasSubstr("t.tsv:1: found numbers, expected a header"));
  EXPECT_THAT(table("run\tX\nA\t5\nB\n"), HasSubstr("t.tsv:3: found 1 columns, expected 2"));
  EXPECT_THAT(table("run\tX\nA\tlow\nB\t1\n"), HasSubstr("t.tsv:2: X 'low' of system 'A'"));
  EXPECT_THAT(table("run\tX\nA\t1\n"), HasSubstr("found 1 systems, expected at least two"));
}

}  // namespace
}  // namespace prescope::testing
