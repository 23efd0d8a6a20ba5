#pragma once

#include <chrono>
#include <string>
#include <string_view>

/// Times as text. Always UTC, whatever the locale and the time zone are.
namespace prescope {

/// Wall-clock time, UTC.
using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// By the system's clock.
[[nodiscard]] UtcTime utc_now() noexcept;

/// "2026-11-22T03:10:00.250Z"
[[nodiscard]] std::string utc_text(UtcTime time);
/// For people, to the minute: "2026-11-22 03:10"
[[nodiscard]] std::string utc_minute_text(UtcTime time);

/// "2026-11-22" (its first moment), "2026-11-22 03:10", "2026-11-22T03:10:00", the last two also
/// with a fraction of up to three digits and with "Z" at the end. Throws Error(kUsage).
[[nodiscard]] UtcTime parse_utc_time(std::string_view text);

}  // namespace prescope
