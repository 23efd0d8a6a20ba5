#pragma once

#include "prescope/types.h"

/// Times as text, in UTC and independent of the locale.
namespace prescope {

/// Returns the time of the system's clock.
[[nodiscard]] UtcTime utc_now() noexcept;
/// Returns it as milliseconds since 1970.
[[nodiscard]] inline std::uint64_t utc_now_ms() noexcept {
  return static_cast<std::uint64_t>(utc_now().time_since_epoch().count());
}

/// Returns the time as "2026-11-22T03:10:00.250Z".
[[nodiscard]] std::string utc_text(UtcTime time);
/// Returns the time to the minute, for people: "2026-11-22 03:10".
[[nodiscard]] std::string utc_minute_text(UtcTime time);

/// Parses "2026-11-22" (its first moment), "2026-11-22 03:10" or "2026-11-22T03:10:00.250", with or
/// without "Z" at the end; a fraction has up to three digits. Throws Error(kUsage).
[[nodiscard]] UtcTime parse_utc_time(std::string_view text);
/// Parses a time with its zone, as RFC 3339 has it: "2026-11-28T15:00:00.250Z", with an offset such
/// as "+01:00" in place of Z. Digits behind the third one of the fraction are dropped. Throws
/// Error(kBadInput).
[[nodiscard]] UtcTime parse_zoned_time(std::string_view text);

}  // namespace prescope
