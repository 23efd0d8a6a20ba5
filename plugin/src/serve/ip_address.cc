#include "serve/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace prescope::serve {
namespace {

constexpr IpAddress kIpV4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr IpAddress kIpV6Loopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr std::size_t kPrefixBytes = 12;

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::string zero_ended(text);
  // inet_pton would read up to a zero only.
  if (zero_ended.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address = kIpV4Prefix;
  if (::inet_pton(AF_INET, zero_ended.c_str(), &address[kPrefixBytes]) == 1) return address;
  if (::inet_pton(AF_INET6, zero_ended.c_str(), address.data()) == 1) return address;
  return std::nullopt;
}

bool is_loopback(const IpAddress& address) noexcept {
  constexpr std::uint8_t kLoopbackNet = 127;
  if (address == kIpV6Loopback) return true;
  return std::equal(kIpV4Prefix.begin(), kIpV4Prefix.begin() + kPrefixBytes, address.begin()) &&
         address[kPrefixBytes] == kLoopbackNet;
}

std::string url_host(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

}  // namespace prescope::serve
