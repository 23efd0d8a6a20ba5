#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prescope::serve {

/// An IPv6 address, or an IPv4 one as ::ffff:a.b.c.d.
using IpAddress = std::array<std::uint8_t, 16>;

/// "127.0.0.1", "::1"; nothing for names, zones, ports and short forms such as "127.1".
[[nodiscard]] std::optional<IpAddress> parse_ip(std::string_view text);
/// ::1 and 127.0.0.0/8.
[[nodiscard]] bool is_loopback(const IpAddress& address) noexcept;
/// As a part of a URL: "127.0.0.1", "[::1]".
[[nodiscard]] std::string url_host(const std::string& address);

}  // namespace prescope::serve
