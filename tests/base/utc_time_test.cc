#include "base/utc_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "prescope/error.h"

namespace prescope {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using ::testing::HasSubstr;

const UtcTime kDay = sys_days(std::chrono::year(2026) / 11 / 22);

TEST(UtcTime, ReadsDatesAndTimesOfDay) {
  const UtcTime to_the_minute = kDay + hours(3) + minutes(10);
  const std::pair<const char*, UtcTime> cases[] = {
      {"2026-11-22", kDay},
      {"2026-11-22 03:10", to_the_minute},
      {"2026-11-22T03:10Z", to_the_minute},
      {"2026-11-22T03:10:05", to_the_minute + seconds(5)},
      {"2026-11-22T03:10:05.25Z", to_the_minute + seconds(5) + milliseconds(250)},
      {"2024-02-29T23:59:59.999Z",
       sys_days(std::chrono::year(2024) / 3 / 1) + hours(0) - milliseconds(1)},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(parse_utc_time(text), expected) << text;
}

TEST(UtcTime, RefusesOtherTextWithAnExample) {
  for (const char* text :
       {"", "yesterday", "2026-11", "2026-13-01", "2026-02-30", "2026-11-22T", "2026-11-22T3:10",
        "2026-11-22T24:00", "2026-11-22T03:60", "2026-11-22T03:10:60", "2026-11-22T03:10:05.",
        "2026-11-22T03:10:05.1234", "2026-11-22T03:10+01:00", "2026-11-22Z", " 2026-11-22",
        "+026-11-22", "2026-11-22 03:10 "}) {
    try {
      (void)parse_utc_time(text);
      ADD_FAILURE() << "'" << text << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(std::string("'") + text + "' is not a time"));
      EXPECT_THAT(error.what(), HasSubstr("2026-11-22T03:10:00Z"));
    }
  }
}

TEST(UtcTime, IsWrittenToTheMillisecondAndToTheMinute) {
  const UtcTime time = kDay + hours(3) + minutes(10) + seconds(59) + milliseconds(7);
  EXPECT_EQ(utc_text(time), "2026-11-22T03:10:59.007Z");
  EXPECT_EQ(utc_minute_text(time), "2026-11-22 03:10");
}

TEST(UtcTime, WrittenTimesReadBackEqual) {
  std::mt19937_64 random(22);
  std::uniform_int_distribution<std::int64_t> ms(0, 7'000'000'000'000);  // up to 2191
  for (int i = 0; i < 1000; ++i) {
    const UtcTime time{milliseconds(ms(random))};
    EXPECT_EQ(parse_utc_time(utc_text(time)), time) << utc_text(time);
  }
}

}  // namespace
}  // namespace prescope
