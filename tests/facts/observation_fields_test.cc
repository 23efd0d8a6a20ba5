// The one list of an observation's fields, and the rules about observations.
#include "facts/observation_fields.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <bit>

#include "facts/observation_rules.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

TEST(ObservationFields, AreDocumentedInTheWordsOfTheList) {
  const std::string page = content_of(PRESCOPE_SOURCE_DIR "/docs/formats.md");
  for_each_field([&](const auto& field) {
    EXPECT_THAT(page,
                HasSubstr(fmt::format("\n| `{}` | INTEGER | {} |\n", field.name, field.meaning)));
  });
  for (const FlagName& one : flag_table()) {
    EXPECT_THAT(page,
                HasSubstr(fmt::format("\n| {} | {} | {} |\n", static_cast<std::uint32_t>(one.flag),
                                      one.name, one.meaning)));
  }
}

// A report that repeats a rule as a bit mask would differ from it one day.
TEST(ObservationFields, ReportsHaveNoRulesOfTheirOwn) {
  const std::string reports = content_of(PRESCOPE_SOURCE_DIR "/docs/fleet-reports.sql");
  EXPECT_THAT(reports, HasSubstr("known_depth"));
  EXPECT_EQ(reports.find("bitAnd("), std::string::npos);
  EXPECT_EQ(reports.find("flags"), std::string::npos);
}

TEST(ObservationFields, EveryFlagHasANameAndABitOfItsOwn) {
  std::uint32_t all = 0;
  for (const FlagName& one : flag_table()) {
    const auto bit = static_cast<std::uint32_t>(one.flag);
    EXPECT_TRUE(std::has_single_bit(bit)) << one.name;
    EXPECT_EQ(all & bit, 0U) << one.name;
    EXPECT_EQ(flag_names(one.flag), std::vector{one.name});
    all |= bit;
  }
  EXPECT_EQ(all + 1, 2 * static_cast<std::uint32_t>(RankingFlags::kAwaited)) << "a flag is missing";
}

// Says the rules in another way, for all combinations of flags.
TEST(ObservationRules, SayWhatCounts) {
  const auto in = [](std::uint32_t bits, RankingFlags flag) {
    return (bits & static_cast<std::uint32_t>(flag)) != 0;
  };
  constexpr std::uint32_t kAll = 2 * static_cast<std::uint32_t>(RankingFlags::kAwaited);
  for (std::uint32_t bits = 0; bits < kAll; ++bits) {
    Observation one{.depth = 10, .num_ret = 4, .flags = RankingFlags(bits)};
    const bool unseen = in(bits, RankingFlags::kUnseen);
    const bool failed =
        !unseen && (in(bits, RankingFlags::kFailed) || in(bits, RankingFlags::kTimedOut));
    ASSERT_EQ(has_ranking(one), !unseen && !failed) << bits;
    ASSERT_EQ(ends_ranking(one), failed || (!unseen && !in(bits, RankingFlags::kPartial))) << bits;
    ASSERT_EQ(is_timed(one), !unseen && !failed && !in(bits, RankingFlags::kRetried) &&
                                 !in(bits, RankingFlags::kUntimed))
        << bits;
    const bool sorted = in(bits, RankingFlags::kSorted);
    const bool narrowed = in(bits, RankingFlags::kFiltered) || in(bits, RankingFlags::kCollapsed);
    ASSERT_EQ(is_scored(one, RankingFlags::kNone), failed || (!unseen && !sorted && !narrowed))
        << bits;
    ASSERT_EQ(is_scored(one, RankingFlags::kSorted), failed || (!unseen && !narrowed)) << bits;
    one.stage = Stage::kCandidates;
    ASSERT_EQ(is_scored(one, RankingFlags::kNone), failed) << bits;
  }
}

TEST(ObservationRules, PartialRankingReachesWhatItWasAskedFor) {
  Observation one{.depth = 10, .num_ret = 4};
  EXPECT_TRUE(reaches(one, Cutoff(100))) << "the ranking had ended";
  one.flags = RankingFlags::kPartial;
  EXPECT_TRUE(reaches(one, Cutoff(10)));
  EXPECT_FALSE(reaches(one, Cutoff(11)));
  one.flags = RankingFlags::kNone;
  one.num_ret = 10;
  EXPECT_FALSE(reaches(one, Cutoff(11))) << "more may follow";
  EXPECT_TRUE(reaches(one, std::nullopt));
}

}  // namespace
}  // namespace prescope
