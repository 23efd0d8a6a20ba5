#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prescope {

/// How numbers are printed for people: fixed digits, a dot, no locale; "-" where there is no value.
[[nodiscard]] std::string score_text(std::optional<double> score);            ///< 0.1234
[[nodiscard]] std::string difference_text(std::optional<double> difference);  ///< +0.1234, 0.0000
[[nodiscard]] std::string p_value_text(std::optional<double> p);              ///< 0.0312, <0.0001
[[nodiscard]] std::string milliseconds_text(std::optional<double> ms);        ///< three digits
[[nodiscard]] std::string microseconds_text(std::optional<double> us);        ///< 2.6
/// A share of 1 as per cent with two digits that count: 0.021 %.
[[nodiscard]] std::string percent_text(std::optional<double> share);
/// 26,283: thousands parted for the eye.
[[nodiscard]] std::string grouped_text(std::uint64_t count);
/// "1 topic", "2 topics", "26,283 topics".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view singular,
                                     std::string_view plural = {});

}  // namespace prescope
