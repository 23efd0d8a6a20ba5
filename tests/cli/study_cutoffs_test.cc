#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/study_workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<std::string> kCutoffsOfThree = {"study",    "cutoffs",   "qrels.txt", "early.run",
                                                  "late.run", "third.run", "--nmax",    "4,2"};

Outcome cutoffs(const Workspace& workspace, std::vector<std::string> more) {
  std::vector<std::string> arguments = kCutoffsOfThree;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

// study_workspace.h has the scores of each topic. PRES@2 of early: (2/4 + 1/2) / 2, of late
// (1/4 + 0) / 2, of third (0 + 1) / 2; PRES@4: (6/8 + 3/4) / 2, (6/8 + 2/4) / 2, (2/8 + 1) / 2.
TEST(StudyCutoffs, PrintsNumbersWorkedOutByHand) {
  const Workspace workspace(set_up_studies);
  const Outcome outcome = cutoffs(workspace, {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out, HasSubstr(R"(
PRES by N_max
run         2       4
─────────────────────
early  0.5000  0.7500
late   0.1250  0.6250
third  0.5000  0.6250
)"));
  // Recall at 2: (1/2 + 1)/2, (1/2 + 0)/2, (0 + 1)/2; at 4: 1, 1, (1/2 + 1)/2.
  EXPECT_THAT(outcome.out, HasSubstr(R"(
early  0.7500  1.0000
late   0.2500  1.0000
third  0.5000  0.7500
)"));
}

// In Recall, third is ahead of late at 2 and behind at 4. Early and third tie in PRES at 2, which
// is no reversal.
TEST(StudyCutoffs, ReportsTheCutoffsAndMeasuresAtWhichTheOrderReverses) {
  const Workspace workspace(set_up_studies);
  const json document = json::parse(cutoffs(workspace, {"--json", "-"}).out);
  std::vector<std::string> flips;
  for (const json& flip : document["flips"]) {
    flips.push_back(fmt::format("{} {} {} {} {}", flip["measure"].get<std::string>(),
                                flip["ahead_before"].get<std::string>(),
                                flip["ahead_after"].get<std::string>(),
                                flip["nmax_before"].get<int>(), flip["nmax_after"].get<int>()));
  }
  EXPECT_THAT(flips, ::testing::Contains("recall third late 2 4"));
  for (const std::string& flip : flips) EXPECT_THAT(flip, Not(::testing::StartsWith("pres")));
  EXPECT_THAT(
      cutoffs(workspace, {}).out,
      HasSubstr("Recall   third         late             2     +0.2500      4     -0.2500"));
}

TEST(StudyCutoffs, NumbersEqualThoseOfEvaluate) {
  const Workspace workspace(set_up_studies);
  const json study = json::parse(cutoffs(workspace, {"--json", "-"}).out);
  const json evaluated =
      json::parse(workspace
                      .run({"evaluate", "qrels.txt", "early.run", "late.run", "third.run", "-m",
                            "AP@2,R@2,PRES@2,AP@4,R@4,PRES@4", "--format", "json"})
                      .out);
  for (std::size_t run = 0; run < 3; ++run) {
    for (std::size_t c = 0; c < 2; ++c) {
      const json& point = study["runs"][run]["points"][c];
      const json& means = evaluated["runs"][run]["means"];
      const std::string cutoff = c == 0 ? "2" : "4";
      EXPECT_EQ(point["map"], means["AP@" + cutoff]);
      EXPECT_EQ(point["recall"], means["R@" + cutoff]);
      EXPECT_EQ(point["pres"], means["PRES@" + cutoff]);
    }
  }
}

TEST(StudyCutoffs, CsvHasARowForEachRunAndCutoff) {
  const Workspace workspace(set_up_studies);
  std::istringstream csv(cutoffs(workspace, {"--csv", "-"}).out);
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "run,nmax,map,recall,pres,depth,topics,topics_shorter,topics_below_n");
  std::getline(csv, line);
  EXPECT_EQ(line, "early,2,0.5,0.75,0.5,4,2,0,0");  // MAP@2 (1/2 + 1/2) / 2
  std::size_t rows = 1;
  while (std::getline(csv, line)) ++rows;
  EXPECT_EQ(rows, 6U);
}

TEST(StudyCutoffs, WarnsIfNmaxIsBelowNOrAboveTheDepth) {
  const Workspace workspace(set_up_studies);
  const Outcome outcome = cutoffs(workspace, {"--nmax", "1,4,9"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("N_max is below n"), HasSubstr("1 in 1 topic")));
  EXPECT_THAT(outcome.out, HasSubstr("N_max 4, 9 are above the depth of third, 3 documents"));
  EXPECT_THAT(outcome.out, HasSubstr("N_max 9 is above the depth of early, late, 4 documents"));
  EXPECT_THAT(cutoffs(workspace, {"--nmax", "2"}).out, Not(HasSubstr("N_max is below")));
}

TEST(StudyCutoffs, OneRunHasNoOrder) {
  const Workspace workspace(set_up_studies);
  const Outcome outcome = workspace.run({"study", "cutoffs", "qrels.txt", "early.run"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, Not(HasSubstr("turns round")));
}

TEST(StudyCutoffs, RefusesBadInput) {
  const Workspace workspace(set_up_studies);
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"study", "cutoffs"});
    const Outcome outcome = workspace.run(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  const std::vector<std::string> run = {"qrels.txt", "early.run", "--nmax"};
  const auto with = [&](const char* nmax) {
    std::vector<std::string> arguments = run;
    arguments.emplace_back(nmax);
    return refusal(arguments);
  };
  EXPECT_THAT(with("0"), HasSubstr("--nmax: '0' is not a cutoff, an integer from 1 to 2147483647"));
  EXPECT_THAT(with("10,x,-1"), AllOf(HasSubstr("'x' is not"), HasSubstr("'-1' is not")));
  EXPECT_THAT(with("10,"), HasSubstr("'' is not"));
  EXPECT_THAT(with("2147483648"), HasSubstr("'2147483648' is not"));
  EXPECT_THAT(refusal({}), HasSubstr("expected QRELS and at least one run; found 0"));
  EXPECT_THAT(refusal({"qrels.txt"}), HasSubstr("at least one run; found 0"));
  EXPECT_THAT(refusal({"qrels.txt", "none.run"}), HasSubstr("none.run"));
  workspace.write("other.run", "T9 Q0 A 1 1 o\n");
  EXPECT_THAT(refusal({"qrels.txt", "other.run"}), HasSubstr("no topic in common"));
}

}  // namespace
}  // namespace prescope::testing
