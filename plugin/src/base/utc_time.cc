#include "base/utc_time.h"

#include <fmt/chrono.h>
#include <optional>
#include <regex>

#include "base/errors.h"

namespace prescope {

namespace {

namespace chrono = std::chrono;

std::tm date_of(UtcTime time) {
  return fmt::gmtime(chrono::system_clock::to_time_t(chrono::floor<chrono::seconds>(time)));
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
  const chrono::milliseconds of_second = time - chrono::floor<chrono::seconds>(time);
  return fmt::format("{:%FT%T}.{:03}Z", date_of(time), of_second.count());
}

std::string utc_minute_text(UtcTime time) { return fmt::format("{:%F %H:%M}", date_of(time)); }

UtcTime parse_utc_time(std::string_view text) {
  if (const auto time = read_utc_time(text)) return *time;
  throw usage_error("'{}' is not a time; expected UTC as 2026-11-22 or 2026-11-22T03:10:00Z", text);
}

UtcTime parse_zoned_time(std::string_view text) {
  static const std::regex kForm(
      R"((\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d)))");
  std::cmatch parts;
  if (std::regex_match(text.data(), text.data() + text.size(), parts, kForm)) {
    const auto offset =
        parts[2].matched ? chrono::hours(std::stoi(parts[3])) + chrono::minutes(std::stoi(parts[4]))
                         : chrono::minutes(0);
    if (const auto time = read_utc_time(parts[1].str())) {
      return parts[2] == "-" ? *time + offset : *time - offset;
    }
  }
  throw bad_input_error(
      "time is '{}'; expected a time with its zone, such as 2026-11-28T15:00:00Z or "
      "2026-11-28T16:00:00.250+01:00",
      text);
}

}  // namespace prescope
