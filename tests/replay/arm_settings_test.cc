#include "prescope/arm_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "prescope/error.h"

namespace prescope {
namespace {

constexpr std::array<std::string_view, 4> kKeys{"ranker", "k1", "b", "c"};
constexpr std::array<std::string_view, 2> kRankers{"bm25", "tfidf"};

std::string complaints_of(const ArmSettings& settings) {
  try {
    settings.throw_if_any();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
}

TEST(ArmSettings, ReturnsOnlyTheSettings) {
  const ArmConfig arm{ArmId("a"), {{"ranker", "tfidf", "x:1"}, {"k1", "1.5", "x:2"}}};
  ArmSettings settings(arm, kKeys);
  EXPECT_EQ(settings.one_of("ranker", kRankers), 1U);
  EXPECT_EQ(settings.number("k1", {.least = 0.0}), 1.5);
  EXPECT_EQ(settings.number("b", {}), std::nullopt);
  EXPECT_EQ(settings.one_of("c", kRankers), std::nullopt);
  EXPECT_NE(settings.find("k1"), nullptr);
  EXPECT_EQ(settings.find("b"), nullptr);
  EXPECT_EQ(complaints_of(settings), "");
}

TEST(ArmSettings, RefusesNumbersOutOfRangeOrWithTrailingText) {
  const ArmSettings::Range closed{.least = 0.0, .most = 1.0};
  const ArmSettings::Range open{.least = 0.0, .least_is_excluded = true};
  struct Case {
    const char* text;
    ArmSettings::Range range;
    bool valid;
  };
  for (const Case& one :
       {Case{"0", closed, true}, Case{"1", closed, true}, Case{"1.0001", closed, false},
        Case{"-0.1", closed, false}, Case{"0", open, false}, Case{"1e-9", open, true},
        Case{"", closed, false}, Case{"0.5x", closed, false}, Case{"0,5", closed, false},
        Case{"nan", closed, false}, Case{"inf", open, false}, Case{" 1", closed, false},
        Case{"-3", {}, true}}) {
    SCOPED_TRACE(one.text);
    const ArmConfig arm{ArmId("a"), {{"b", one.text, "x:1"}}};
    ArmSettings settings(arm, kKeys);
    EXPECT_EQ(settings.number("b", one.range).has_value(), one.valid);
    EXPECT_EQ(complaints_of(settings).empty(), one.valid);
  }
}

TEST(ArmSettings, ReportsAllProblemsAtOnceWithTheirPlaces) {
  const ArmConfig arm{ArmId("a"),
                      {{"rnaker", "bm25", "x.toml:1"},
                       {"ranker", "bm52", "x.toml:2"},
                       {"k1", "low", "x.toml:3"},
                       {"k1", "1", "x.toml:4"},
                       {"b", "2", ""},
                       {"c", "1", "x.toml:6"}}};
  ArmSettings settings(arm, kKeys);
  settings.one_of("ranker", kRankers);
  settings.number("k1", {.least = 0.0, .least_is_excluded = true});
  settings.number("b", {.least = 0.0, .most = 1.0});
  constexpr std::array<std::string_view, 1> kOfOthers{"c"};
  settings.refuse(kOfOthers, "ranker = bm25", "remove it");
  EXPECT_EQ(complaints_of(settings),
            "x.toml:1: unknown arm setting 'rnaker'; did you mean 'ranker'? Valid: ranker, k1, b, c"
            "\nx.toml:4: 'k1' is set a second time; keep one"
            "\nx.toml:2: unknown ranker 'bm52'; did you mean 'bm25'? Valid: bm25, tfidf"
            "\nx.toml:3: k1 = 'low'; expected a number > 0"
            "\narm a: b = '2'; expected a number in [0, 1]"
            "\nx.toml:6: 'c' has no meaning for ranker = bm25; remove it");
}

}  // namespace
}  // namespace prescope
