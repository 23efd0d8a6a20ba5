// The studies on the 12 runs of CLEF-IP 2011, three of which repeat documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::filesystem::path kClefip2011 = std::filesystem::path(PRESCOPE_TEST_DATA) / "clefip2011";

class StudyClefip2011 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kClefip2011)) {
      GTEST_SKIP() << "the collection is absent: " << kClefip2011.string();
    }
    for (const auto& entry : std::filesystem::directory_iterator(kClefip2011 / "runs")) {
      runs_.push_back(entry.path().string());
    }
    std::ranges::sort(runs_);
  }

  [[nodiscard]] Outcome run(const char* study, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"study", study,
                                          (kClefip2011 / "qrels.reconstructed.txt").string()};
    arguments.insert(arguments.end(), runs_.begin(), runs_.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program({.arguments = std::move(arguments), .environment = {}});
  }

  std::vector<std::string> runs_;
};

TEST_F(StudyClefip2011, AnswersDoNotDependOnThreads) {
  ASSERT_EQ(runs_.size(), 12U);
  for (const char* study : {"cutoffs", "correlation"}) {
    for (const char* format : {"--json", "--csv", "--html"}) {
      const Outcome one = run(study, {format, "-", "--threads", "1"});
      EXPECT_EQ(one.exit_code, 0) << one.err;
      EXPECT_EQ(run(study, {format, "-", "--threads", "7"}).out, one.out) << study << format;
    }
  }
}

// SOURCE.txt, in the order of the lines: CORI .194088, GMs_linear_regression .244417; MMs_decision_
// tree .2058, and .2673 if each of its lines counts, as PRESeval printed it.
TEST_F(StudyClefip2011, CountingEveryLineGivesTheMeansOfPreseval) {
  const json document = json::parse(run("correlation", {"--order", "file", "--json", "-"}).out);
  std::map<std::string, double> once, every_line;
  const json& measures = document["repeated_documents"]["measures"];
  ASSERT_EQ(measures[2]["measure"], "PRES@1000");
  for (std::size_t i = 0; i < 12; ++i) {
    const std::string name = document["systems"][i]["system"];
    once[name] = measures[2]["once"][i];
    every_line[name] = measures[2]["every_line"][i];
  }
  EXPECT_NEAR(once["CORI"], .194088, 5e-7);
  EXPECT_NEAR(once["GMs_linear_regression"], .244417, 5e-7);
  EXPECT_NEAR(once["MMs_decision_tree"], .2058, 5e-5);
  EXPECT_NEAR(every_line["MMs_decision_tree"], .2673, 5e-5);
  EXPECT_EQ(every_line["CORI"], once["CORI"]);
}

TEST_F(StudyClefip2011, DuplicatesOfThreeRunsAreReportedWithTheirEffect) {
  const json document = json::parse(run("correlation", {"--json", "-"}).out);
  const json& repeated = document["repeated_documents"];
  std::vector<std::string> systems;
  for (const json& system : repeated["systems"]) systems.push_back(system["system"]);
  EXPECT_THAT(systems, ::testing::ElementsAre("MMs_decision_tree", "MMs_random_forest", "MMs_svr"));
  EXPECT_EQ(repeated["systems"][0]["lines"], 3254);  // SOURCE.txt
  for (const json& measure : repeated["measures"]) {
    EXPECT_LT(measure["tau_b"], 0.9) << measure["measure"];
    // Only runs that repeat documents gain.
    for (std::size_t i = 0; i < 12; ++i) {
      const std::string name = document["systems"][i]["system"];
      const bool repeats = std::ranges::find(systems, name) != systems.end();
      EXPECT_EQ(measure["every_line"][i] > measure["once"][i], repeats) << name;
      EXPECT_EQ(measure["every_line"][i] == measure["once"][i], !repeats) << name;
    }
  }
}

TEST_F(StudyClefip2011, WarnsThatTheRunsAreOnly100Deep) {
  EXPECT_THAT(run("cutoffs", {"--nmax", "100,1000"}).out,
              HasSubstr("N_max 1000 is above the depth of every run, 100 documents"));
}

}  // namespace
}  // namespace prescope::testing
