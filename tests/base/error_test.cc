#include "prescope/error.h"

#include <gtest/gtest.h>

#include <array>

namespace prescope {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"PRES", "R", "AP", "Rnorm"};

TEST(NearestName, HasTheFewestEdits) {
  EXPECT_EQ(nearest_name("PRS", kNames), "PRES");     // one insertion; all others need more
  EXPECT_EQ(nearest_name("PERS", kNames), "PRES");    // one swap of neighbours
  EXPECT_EQ(nearest_name("Rnrom", kNames), "Rnorm");  // one swap
  EXPECT_EQ(nearest_name("MAP", kNames), "AP");       // one deletion
}

TEST(NearestName, IgnoresCase) {
  EXPECT_EQ(nearest_name("pres", kNames), "PRES");
  EXPECT_EQ(nearest_name("rNORM", kNames), "Rnorm");
}

TEST(NearestName, IsTheFirstIfSeveralAreEquallyNear) {
  constexpr std::array<std::string_view, 3> names = {"bm25", "bm26", "bm27"};
  EXPECT_EQ(nearest_name("bm28", names), "bm25");
}

TEST(NearestName, BeginsWithTheNameIfAnyDoes) {
  constexpr std::array<std::string_view, 4> names = {"man", "gate", "history", "evaluate"};
  EXPECT_EQ(nearest_name("eval", names), "evaluate");  // 4 edits, "man" needs 3
  EXPECT_EQ(nearest_name("HIST", names), "history");
  EXPECT_EQ(nearest_name("ev", names), "man");  // too short to be meant as a beginning
}

TEST(NearestName, IsEmptyWithoutNames) { EXPECT_EQ(nearest_name("PRES", {}), ""); }

TEST(UnknownNameMessage, NamesTheNearestAndAllValidOnes) {
  EXPECT_EQ(unknown_name_message("measure", "PRS", kNames),
            "unknown measure 'PRS'; did you mean 'PRES'? Valid: PRES, R, AP, Rnorm");
  EXPECT_EQ(unknown_name_message("arm", "bm25", {}), "unknown arm 'bm25'; there is none");
}

// More than half of the letters differ.
TEST(UnknownNameMessage, HasNoSuggestionIfNoneIsNear) {
  EXPECT_EQ(unknown_name_message("measure", "nDCG", kNames),
            "unknown measure 'nDCG'; valid: PRES, R, AP, Rnorm");
}

}  // namespace
}  // namespace prescope
