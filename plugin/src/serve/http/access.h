#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/dashboard.h"

namespace prescope::serve {

/// An IPv6 address, or an IPv4 one as ::ffff:a.b.c.d.
using IpAddress = std::array<std::uint8_t, 16>;

/// "127.0.0.1", "::1"; nothing for names, zones, ports and short forms such as "127.1".
[[nodiscard]] std::optional<IpAddress> parse_ip(std::string_view text);
/// ::1 and 127.0.0.0/8.
[[nodiscard]] bool is_loopback(const IpAddress& address) noexcept;
/// As a part of a URL: "127.0.0.1", "[::1]".
[[nodiscard]] std::string url_host(const std::string& address);

/// Who may ask: what keeps a page of another site from reading through a visitor's browser (names
/// that a stranger's DNS server lets point here, requests across origins), and strangers without
/// the token.
class AccessRules {
 public:
  /// Options that were checked.
  explicit AccessRules(const DashboardOptions& options);

  /// Whether a request's Host is the address that was reached or listened at, a loopback address,
  /// localhost, or one of DashboardOptions::hosts; with any port, because tunnels change it.
  [[nodiscard]] bool admits_host(std::string_view host, const IpAddress& reached) const;
  /// Of "Authorization: Bearer TOKEN". Takes as long for every wrong token of a length.
  [[nodiscard]] bool admits(std::string_view authorization) const noexcept;
  [[nodiscard]] bool wants_token() const noexcept { return !token_.empty(); }

 private:
  std::string token_;
  std::vector<std::string> names_;  // in lower case
  std::vector<IpAddress> addresses_;
};

/// Whether "http://host:port" or "https://host:port" is the origin of pages of this Host.
[[nodiscard]] bool is_same_origin(std::string_view origin, std::string_view host);

}  // namespace prescope::serve
