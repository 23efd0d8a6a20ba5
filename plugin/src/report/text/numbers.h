#pragma once

#include <fmt/format.h>
#include <optional>

namespace prescope {

/// Formats a number for people: fixed digits, a dot, no locale; "-" for std::nullopt.
[[nodiscard]] std::string fixed_text(std::optional<double> value, int digits);
[[nodiscard]] std::string score_text(std::optional<double> score);            ///< 0.1234
[[nodiscard]] std::string difference_text(std::optional<double> difference);  ///< +0.1234, 0.0000
/// [-0.0123, +0.0456]; "-" if an end is unknown.
[[nodiscard]] std::string interval_text(std::optional<double> low, std::optional<double> high);
[[nodiscard]] std::string p_value_text(std::optional<double> p);        ///< 0.0312, <0.0001
[[nodiscard]] std::string milliseconds_text(std::optional<double> ms);  ///< three digits
/// A share of 1 as per cent with two digits that count: 0.021 %.
[[nodiscard]] std::string percent_text(std::optional<double> share);
/// A share of 1 as per cent, in up to six digits that count: 20 %, 99.5 %.
[[nodiscard]] std::string plain_percent_text(double share);
/// 26,283: thousands parted for the eye.
[[nodiscard]] std::string grouped_text(std::uint64_t count);
/// "1 topic", "2 topics", "26,283 topics".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view singular,
                                     std::string_view plural = {});

/// Returns `member` of a test, or std::nullopt if the test was not made.
template <class Test, class Value>
[[nodiscard]] std::optional<double> value_of(const std::optional<Test>& test, Value Test::*member) {
  return test ? std::optional(static_cast<double>((*test).*member)) : std::nullopt;
}

/// "3/12/1": topics won, tied and lost. Any struct with these members has one.
template <class Counts>
[[nodiscard]] std::string outcomes_text(const Counts& counts) {
  return fmt::format("{}/{}/{}", counts.wins, counts.ties, counts.losses);
}

}  // namespace prescope
