#pragma once

#include "citations/document/citing_document.h"

namespace prescope {

/// Returns a number for a date, in the order of dates; 0 for one that is not known, or that no
/// calendar has.
[[nodiscard]] constexpr std::uint32_t date_code(const PartialDate& date) noexcept {
  constexpr std::uint16_t kMostYears = 40'000;
  if (date.year == 0 || date.year > kMostYears || date.month > 12 || date.day > 31) return 0;
  return (date.year * 13U + date.month) * 32U + date.day;
}

[[nodiscard]] constexpr PartialDate date_of_code(std::uint32_t code) noexcept {
  return {.year = static_cast<std::uint16_t>(code / (13U * 32)),
          .month = static_cast<std::uint8_t>(code / 32 % 13),
          .day = static_cast<std::uint8_t>(code % 32)};
}

}  // namespace prescope
