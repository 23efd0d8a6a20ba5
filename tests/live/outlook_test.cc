// How far a pair is from a verdict, and the sentence about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/ledger/arrivals.h"
#include "report/live/live_report.h"
#include "support/difference_ledger.h"

namespace prescope {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const UtcTime kStart{std::chrono::days(20'000)};

TEST(Arrivals, TellTheRateOfTheLastQuarter) {
  Arrivals arrivals;
  // One a minute for three hours, then one in five minutes for another hour.
  for (int i = 0; i < 180; ++i) arrivals.add(kStart + minutes(i));
  for (int i = 0; i < 12; ++i) arrivals.add(kStart + minutes(180 + 5 * i));
  // They are thinned to one in two, so that one of 12 more or less is left.
  EXPECT_NEAR(arrivals.per_hour(kStart + minutes(240)).value(), 12.0, 2.0);
}

TEST(Arrivals, FallWhenNobodyComes) {
  Arrivals arrivals;
  for (int i = 0; i < 60; ++i) arrivals.add(kStart + seconds(i));
  EXPECT_EQ(arrivals.per_hour(kStart + minutes(10)), 0.0);
}

TEST(Arrivals, KeepTheirRateHoweverManyCome) {
  Arrivals arrivals;
  for (int i = 0; i < 100'000; ++i) arrivals.add(kStart + seconds(i));
  // A quarter has 16 to 32 kept times.
  EXPECT_NEAR(arrivals.per_hour(kStart + seconds(100'000)).value(), 3600.0, 3600.0 / 16);
}

TEST(Arrivals, SayNothingWithoutTimeOrNumbers) {
  Arrivals few, quick;
  for (int i = 0; i < 9; ++i) few.add(kStart + minutes(i));
  for (int i = 0; i < 500; ++i) quick.add(kStart);
  EXPECT_EQ(few.per_hour(kStart + minutes(9)), std::nullopt);
  EXPECT_EQ(quick.per_hour(kStart + seconds(59)), std::nullopt);
}

TEST(Arrivals, TakeAClockThatWentBackForTheLatestTime) {
  Arrivals arrivals;
  for (int i = 0; i < 20; ++i) arrivals.add(kStart + minutes(i));
  for (int i = 0; i < 20; ++i) arrivals.add(kStart - std::chrono::hours(5));
  // 20 minutes have passed, and the last 5 of them have 4 and the 20 that came late.
  EXPECT_DOUBLE_EQ(arrivals.per_hour(kStart + minutes(20)).value(), 24.0 * 12.0);
}

class Outlooks : public ::testing::Test {
 protected:
  /// Topics up to `last`, one in a minute, with the differences in turn.
  void compare(std::uint32_t last, const std::vector<double>& differences) {
    for (; next_ < last; ++next_) {
      of_.at(kStart + minutes(next_));
      of_.compare(next_, differences[next_ % differences.size()]);
    }
  }
  [[nodiscard]] std::optional<Outlook> outlook() { return of_.summary().pairs.at(0).outlook; }
  [[nodiscard]] LiveState state() {
    return of_.summary().pairs.at(0).differences.at(0).live.value().state;
  }

  DifferenceLedger of_{3000};
  std::uint32_t next_ = 0;
};

TEST_F(Outlooks, OfAPlannedTestAreItsNextLook) {
  of_.begin({}, {.plan = {.topics = 100}});
  compare(30, {0.1, -0.1, 0.05});
  ASSERT_TRUE(outlook());
  EXPECT_EQ(outlook()->topics, 20.0);
  EXPECT_EQ(outlook()->left, 2970U);
  // In the last quarter of 29 minutes, from 21:45 on, 8 topics came.
  EXPECT_DOUBLE_EQ(outlook()->per_hour.value(), 8.0 / (7.25 / 60.0));
}

TEST_F(Outlooks, EndWithTheVerdict) {
  of_.begin({}, {.plan = {.topics = 100}});
  compare(50, {0.2, 0.1});
  EXPECT_FALSE(outlook()->is_open);
  EXPECT_EQ(outlook()->topics, std::nullopt);
}

TEST_F(Outlooks, EndWithAVeto) {
  of_.begin({});
  compare(40, {0.02, -0.01});
  EXPECT_TRUE(outlook()->is_open);
  for (std::uint32_t t = 1000; t < 1060; ++t) of_.fail(t, 0);
  EXPECT_FALSE(outlook()->is_open);
  EXPECT_EQ(outlook()->topics, std::nullopt);
}

/// A series that goes on as it began meets its forecast: the interval leaves 0 when it said.
TEST_F(Outlooks, ForeseeWhenTheIntervalLeavesZero) {
  for (const double mean : {0.02, -0.03}) {
    SCOPED_TRACE(mean);
    next_ = 0;
    of_.begin({});
    const std::vector<double> series{mean + 0.1, mean - 0.1};
    compare(60, series);
    ASSERT_TRUE(outlook());
    const double foreseen = 60.0 + outlook()->topics.value();
    // Both differences at a time, so that the mean stays as it is.
    while (state() == LiveState::kNoVerdict && next_ < 3000) compare(next_ + 2, series);
    EXPECT_NEAR(next_, foreseen, 2);
  }
}

TEST_F(Outlooks, ForeseeNothingWithoutADifferenceOrWithFewTopics) {
  of_.begin({});
  compare(19, {0.3, -0.1});
  EXPECT_EQ(outlook()->topics, std::nullopt);
  next_ = 0;
  of_.begin({});
  compare(40, {0.1, -0.1});
  EXPECT_EQ(outlook()->topics, std::nullopt);
}

TEST(OutlookSentence, SaysWhatIsMissing) {
  struct Case {
    Outlook outlook{};
    bool is_planned = false, by_family = false;
    std::string_view expected{};
  };
  const std::vector<Case> cases{
      {{true, 420, 900, 47.3},
       false,
       false,
       "If the difference stays as it is, some 420 more topics will show it: about 9 hours at 47 "
       "new topics an hour."},
      {{true, 1234, 9000, {}},
       false,
       true,
       "If the difference stays as it is, some 1,200 more families will show it."},
      {{true, 1, 900, 0.5},
       true,
       false,
       "The next look needs 1 more topic: about 2 hours at 12 new topics a day."},
      {{true, 50, 900, 61.0},
       true,
       false,
       "The next look needs 50 more topics: about 49 minutes at 61 new topics an hour."},
      {{true, 50, 900, 0.0},
       true,
       true,
       "The next look needs 50 more families: no new family has come of late."},
      {{true, 4000, 210, 47.0},
       false,
       false,
       "If the difference stays as it is, some 4,000 more topics will show it, but only 210 judged "
       "ones are left to compare."},
      {{true, {}, 0, 47.0}, false, false, "No judged topic is left to compare."},
      {{true, {}, 10, 47.0}, false, false, ""},
      {{true, 1000, 2000, 2.0},
       false,
       false,
       "If the difference stays as it is, some 1,000 more topics will show it: about 21 days at 2 "
       "new topics an hour."}};
  for (const Case& one : cases) {
    Summary summary;
    if (one.by_family) summary.families = 1000;
    ArmPair pair{.outlook = one.outlook};
    if (one.is_planned) pair.planned = PlannedTest{};
    EXPECT_EQ(outlook_sentence(summary, pair), one.expected);
  }
  EXPECT_EQ(outlook_sentence({}, {}), "");
  EXPECT_EQ(outlook_sentence({}, {.outlook = Outlook{.is_open = false, .left = 0}}), "");
}

}  // namespace
}  // namespace prescope
