// When a verdict can be expected.
#include <cmath>

#include "report/live/live_report.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

/// Rounds to two digits, because a forecast is not more exact than that.
std::uint64_t two_digits(double value) {
  const double unit =
      std::pow(10.0, std::max(0.0, std::floor(std::log10(std::max(1.0, value))) - 1));
  return static_cast<std::uint64_t>(std::round(value / unit) * unit);
}

/// "20 minutes", "3 hours", "12 days".
std::string time_text(double hours) {
  constexpr double kMinutes = 60.0, kDay = 24.0, kTwo = 2.0;
  if (hours < kTwo) return count_text(two_digits(std::max(1.0, hours * kMinutes)), "minute");
  return hours < kTwo * kDay ? count_text(two_digits(hours), "hour")
                             : count_text(two_digits(hours / kDay), "day");
}

/// "about 3 hours at 47 new topics an hour"; empty if nobody can say.
std::string wait_text(const Outlook& outlook, bool by_family) {
  constexpr double kDay = 24.0;
  if (!outlook.per_hour) return {};
  if (*outlook.per_hour == 0.0) {
    return fmt::format("no new {} has come of late", unit_word(by_family));
  }
  const bool is_slow = *outlook.per_hour < 1.0;
  const std::uint64_t rate =
      std::max<std::uint64_t>(1, two_digits(*outlook.per_hour * (is_slow ? kDay : 1.0)));
  const std::string new_units =
      by_family ? count_text(rate, "new family", "new families") : count_text(rate, "new topic");
  return fmt::format("about {} at {} {}", time_text(*outlook.topics / *outlook.per_hour), new_units,
                     is_slow ? "a day" : "an hour");
}

}  // namespace

std::string outlook_sentence(const Summary& summary, const ArmPair& pair) {
  if (!pair.outlook || !pair.outlook->is_open) return {};
  const Outlook& outlook = *pair.outlook;
  const bool by_family = summary.families.has_value();
  if (outlook.left == 0U) {
    return fmt::format("No judged {} is left to compare.", unit_word(by_family));
  }
  if (!outlook.topics) return {};
  const std::string more =
      by_family ? count_text(two_digits(*outlook.topics), "more family", "more families")
                : count_text(two_digits(*outlook.topics), "more topic");
  const std::string text =
      pair.planned ? fmt::format("The next look needs {}", more)
                   : fmt::format("If the difference stays as it is, some {} will show it", more);
  if (outlook.left && *outlook.topics > *outlook.left) {
    return fmt::format("{}, but only {} judged {} left to compare.", text,
                       grouped_text(*outlook.left), *outlook.left == 1 ? "one is" : "ones are");
  }
  const std::string wait = wait_text(outlook, by_family);
  return text + (wait.empty() ? "" : ": " + wait) + ".";
}

}  // namespace prescope
