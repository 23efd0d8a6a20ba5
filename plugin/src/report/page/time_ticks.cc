#include "report/page/time_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/utc_time.h"

namespace prescope::page {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::seconds;

constexpr std::array<milliseconds, 17> kSteps = {
    seconds(1),  seconds(5),  seconds(15), seconds(30), minutes(1), minutes(5),
    minutes(15), minutes(30), hours(1),    hours(3),    hours(6),   hours(12),
    days(1),     days(2),     days(7),     days(14),    days(28)};
constexpr std::array<months, 10> kMonthSteps = {months(1),   months(3),   months(6),   months(12),
                                                months(24),  months(60),  months(120), months(240),
                                                months(600), months(1200)};
constexpr milliseconds kMonth = days(30);

// Of "2026-11-22T03:10:00.000Z".
constexpr std::size_t kTimeOfDay = 11, kMonthAndDay = 5, kYearAndMonthLength = 7, kYearLength = 4;

std::string text_of(UtcTime time, milliseconds step) {
  const std::string text = utc_text(time);
  if (step < minutes(1)) return text.substr(kTimeOfDay, std::string_view("03:10:00").size());
  if (step < days(1)) return text.substr(kTimeOfDay, std::string_view("03:10").size());
  return text.substr(kMonthAndDay, std::string_view("11-22").size());
}

std::vector<TimeTick> ticks_by_step(UtcTime first, UtcTime last, milliseconds step) {
  std::vector<TimeTick> ticks;
  const auto beyond = first.time_since_epoch() % step;
  UtcTime at = beyond == milliseconds(0) ? first : first - beyond + step;
  for (; at <= last; at += step) ticks.push_back({.time = at, .text = text_of(at, step)});
  return ticks;
}

std::vector<TimeTick> ticks_by_month(UtcTime first, UtcTime last, months step) {
  using std::chrono::year_month_day;
  const year_month_day date(std::chrono::floor<days>(first));
  auto month = date.year() / std::chrono::January;
  std::vector<TimeTick> ticks;
  for (;; month += step) {
    const UtcTime at = std::chrono::sys_days(month / 1);
    if (at > last) return ticks;
    if (at < first) continue;
    const bool years = step >= months(12);
    ticks.push_back(
        {.time = at, .text = utc_text(at).substr(0, years ? kYearLength : kYearAndMonthLength)});
  }
}

}  // namespace

std::vector<TimeTick> time_ticks(UtcTime first, UtcTime last, int count) {
  const milliseconds apart = (last - first) / count;
  const auto step = std::ranges::find_if(kSteps, [&](milliseconds s) { return s >= apart; });
  if (step != kSteps.end()) return ticks_by_step(first, last, *step);
  const auto month_step =
      std::ranges::find_if(kMonthSteps, [&](months s) { return s.count() * kMonth >= apart; });
  return ticks_by_month(first, last,
                        month_step == kMonthSteps.end() ? kMonthSteps.back() : *month_step);
}

}  // namespace prescope::page
