#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome curve(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"study", "curve"});
  return run_program({.arguments = std::move(arguments), .environment = {}});
}

// Table 1 of the paper: ranks 1, 98, 99, 100 of n = 4, N_max = 100: PRES 0.28; the bounds are
// 4 * 1^2 / 100 and 1.
TEST(StudyCurve, PrintsPresBetweenItsBounds) {
  const Outcome outcome =
      curve({"--n", "4", "--nmax", "100", "--ranks", "1,98", "--ranks", "100,99"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ranks  1, 98, 99, 100\n"));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\nPRES          0.2800  "), HasSubstr("\nlowest PRES   0.0400  "),
                    HasSubstr("\nhighest PRES  1.0000  ")));
  EXPECT_THAT(outcome.out, HasSubstr("2    98       4  +0.0100         0.5000       0.2600"));
  EXPECT_THAT(outcome.out, HasSubstr("N = 100"));
}

TEST(StudyCurve, JsonHasEveryDocument) {
  const json document =
      json::parse(curve({"--n", "200", "--ranks", "1,100,101", "--json", "-"}).out);
  EXPECT_EQ(document["nmax"], 100);
  EXPECT_DOUBLE_EQ(document["pres"], 102.0 / 20000.0);
  EXPECT_DOUBLE_EQ(document["pres_est"], 102.0 / 10000.0);
  EXPECT_EQ(document["ranks_behind_nmax"], json({101}));
  EXPECT_EQ(document["hits"][1]["credit"], 2);
  EXPECT_EQ(document["notes"].size(), 2U);
}

TEST(StudyCurve, WithoutNTheRanksAreAllRelevantDocuments) {
  const json document = json::parse(curve({"--ranks", "2,3", "--json", "-"}).out);
  EXPECT_EQ(document["n"], 2);
  EXPECT_EQ(document["recall"], 1.0);
}

TEST(StudyCurve, NothingFoundIsZero) {
  const Outcome outcome = curve({"--n", "3"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("none found"), HasSubstr("PRES          0.0000")));
}

TEST(StudyCurve, RefusesBadInput) {
  const auto refusal = [](std::vector<std::string> arguments) {
    const Outcome outcome = curve(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("expected --ranks, --n or both"));
  EXPECT_THAT(refusal({"--ranks", "0"}), HasSubstr("--ranks: '0' is not a rank"));
  EXPECT_THAT(refusal({"--ranks", "3,x"}), HasSubstr("--ranks: 'x' is not a rank"));
  EXPECT_THAT(refusal({"--ranks", "3,1,3"}), HasSubstr("rank 3 is there twice"));
  EXPECT_THAT(refusal({"--n", "1", "--ranks", "1,2"}), HasSubstr("2 ranks, but --n is 1"));
  EXPECT_THAT(refusal({"--n", "0"}), HasSubstr("--n"));
  EXPECT_THAT(refusal({"--n", "2", "--nmax", "0"}), HasSubstr("--nmax"));
}

}  // namespace
}  // namespace prescope::testing
