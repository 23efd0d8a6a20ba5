#include "base/utc_time.h"

#include <optional>
#include <regex>

#include "base/errors.h"

namespace prescope {

namespace {

namespace chrono = std::chrono;

struct Moment {
  chrono::year_month_day date;
  chrono::hh_mm_ss<chrono::milliseconds> time;
};

Moment moment_of(UtcTime time) {
  const auto day = chrono::floor<chrono::days>(time);
  return {.date = chrono::year_month_day(day),
          .time = chrono::hh_mm_ss<chrono::milliseconds>(time - day)};
}

std::string date_text(const chrono::year_month_day& date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::optional<UtcTime> read_utc_time(std::string_view text) {
  static const std::regex kForm(
      R"((\d{4})-(\d\d)-(\d\d))"
      R"((?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?Z?)?)");
  std::cmatch parts;
  if (!std::regex_match(text.data(), text.data() + text.size(), parts, kForm)) return std::nullopt;
  const auto number = [&](std::size_t i) { return parts[i].matched ? std::stoi(parts[i]) : 0; };
  const chrono::year_month_day date{chrono::year(number(1)), chrono::month(unsigned(number(2))),
                                    chrono::day(unsigned(number(3)))};
  if (!date.ok()) return std::nullopt;
  const int ms = parts[7].matched ? std::stoi((parts[7].str() + "00").substr(0, 3)) : 0;
  return chrono::sys_days(date) + chrono::hours(number(4)) + chrono::minutes(number(5)) +
         chrono::seconds(number(6)) + chrono::milliseconds(ms);
}

}  // namespace

UtcTime utc_now() noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string utc_text(UtcTime time) {
  const auto [date, of_day] = moment_of(time);
  return fmt::format("{}T{:02}:{:02}:{:02}.{:03}Z", date_text(date), of_day.hours().count(),
                     of_day.minutes().count(), of_day.seconds().count(),
                     of_day.subseconds().count());
}

std::string utc_minute_text(UtcTime time) {
  const auto [date, of_day] = moment_of(time);
  return fmt::format("{} {:02}:{:02}", date_text(date), of_day.hours().count(),
                     of_day.minutes().count());
}

UtcTime parse_utc_time(std::string_view text) {
  if (const auto time = read_utc_time(text)) return *time;
  throw usage_error("'{}' is not a time; expected UTC as 2026-11-22 or 2026-11-22T03:10:00Z", text);
}

}  // namespace prescope
