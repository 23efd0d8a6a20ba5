#include "base/utc_time.h"

#include <fmt/format.h>
#include <charconv>
#include <optional>

#include "base/text_file.h"
#include "prescope/error.h"

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

/// Takes what it reads from the front of the text.
class TimeScan {
 public:
  explicit TimeScan(std::string_view text) : left_(text) {}

  /// Exactly so many digits.
  std::optional<int> digits(std::size_t count) {
    int value = 0;
    if (left_.size() < count || !is_digit(left_.front())) return std::nullopt;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + count, value);
    if (error != std::errc{} || end != left_.data() + count) return std::nullopt;
    left_.remove_prefix(count);
    return value;
  }
  /// One of the characters.
  bool one_of(std::string_view characters) {
    if (left_.empty() || characters.find(left_.front()) == std::string_view::npos) return false;
    left_.remove_prefix(1);
    return true;
  }
  /// Up to three digits of a fraction.
  std::optional<chrono::milliseconds> fraction() {
    int value = 0, scale = 100;
    if (left_.empty() || !is_digit(left_.front())) return std::nullopt;
    for (; scale > 0 && !left_.empty() && is_digit(left_.front()); scale /= 10) {
      value += (left_.front() - '0') * scale;
      left_.remove_prefix(1);
    }
    return chrono::milliseconds(value);
  }
  [[nodiscard]] bool is_done() const { return left_.empty(); }

 private:
  std::string_view left_;
};

std::optional<chrono::sys_days> scan_date(TimeScan& scan) {
  const auto year = scan.digits(4);
  if (!year || !scan.one_of("-")) return std::nullopt;
  const auto month = scan.digits(2);
  if (!month || !scan.one_of("-")) return std::nullopt;
  const auto day = scan.digits(2);
  if (!day) return std::nullopt;
  const chrono::year_month_day date{chrono::year(*year), chrono::month(unsigned(*month)),
                                    chrono::day(unsigned(*day))};
  if (!date.ok()) return std::nullopt;
  return chrono::sys_days(date);
}

std::optional<chrono::milliseconds> scan_time_of_day(TimeScan& scan) {
  const auto hour = scan.digits(2);
  if (!hour || *hour > 23 || !scan.one_of(":")) return std::nullopt;
  const auto minute = scan.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  chrono::milliseconds time = chrono::hours(*hour) + chrono::minutes(*minute);
  if (!scan.one_of(":")) return time;
  const auto second = scan.digits(2);
  if (!second || *second > 59) return std::nullopt;
  time += chrono::seconds(*second);
  if (!scan.one_of(".")) return time;
  const auto fraction = scan.fraction();
  if (!fraction) return std::nullopt;
  return time + *fraction;
}

std::optional<UtcTime> scan_utc_time(std::string_view text) {
  TimeScan scan(text);
  const auto date = scan_date(scan);
  if (!date) return std::nullopt;
  UtcTime time = *date;
  if (scan.one_of("T ")) {
    const auto time_of_day = scan_time_of_day(scan);
    if (!time_of_day) return std::nullopt;
    time += *time_of_day;
    scan.one_of("Z");
  }
  if (!scan.is_done()) return std::nullopt;
  return time;
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
  if (const auto time = scan_utc_time(text)) return *time;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("'{}' is not a time; expected UTC as 2026-11-22 or 2026-11-22T03:10:00Z", text));
}

}  // namespace prescope
