#include "serve/http/access.h"

#include <arpa/inet.h>
#include <algorithm>
#include <optional>

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

namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool is_port(std::string_view text) {
  constexpr std::size_t kMostDigits = 5;
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "name:80" -> "name", "[::1]:80" -> "[::1]"; nothing where what follows the colon is no port.
std::optional<std::string_view> without_port(std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::size_t colon = host.find(':', bracket);
  if (colon == std::string_view::npos) return host;
  if (!is_port(host.substr(colon + 1))) return std::nullopt;
  return host.substr(0, colon);
}

std::optional<IpAddress> literal_of(std::string_view name) {
  if (!name.starts_with('[')) {
    return name.find(':') == std::string_view::npos ? parse_ip(name) : std::nullopt;
  }
  if (!name.ends_with(']')) return std::nullopt;
  return parse_ip(name.substr(1, name.size() - 2));
}

}  // namespace

AccessRules::AccessRules(const DashboardOptions& options)
    : token_(options.token), names_{"localhost"} {
  for (const std::string& name : options.hosts) names_.push_back(lower_case(name));
  for (const std::string_view address : {std::string_view(options.address),
                                         std::string_view("127.0.0.1"), std::string_view("::1")}) {
    if (const auto parsed = parse_ip(address)) addresses_.push_back(*parsed);
  }
}

bool AccessRules::admits_host(std::string_view host, const IpAddress& reached) const {
  const std::optional<std::string_view> name = without_port(host);
  if (!name) return false;
  if (const auto literal = literal_of(*name)) {
    return *literal == reached || std::ranges::count(addresses_, *literal) > 0;
  }
  return std::ranges::count(names_, lower_case(*name)) > 0;
}

bool AccessRules::admits(std::string_view authorization) const noexcept {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != kScheme[i]) return false;
  }
  const std::string_view given = authorization.substr(kScheme.size());
  // Every byte is looked at, whatever the ones before were.
  volatile unsigned differences = given.size() == token_.size() ? 0U : 1U;
  for (std::size_t i = 0; i < token_.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    differences = differences | (static_cast<unsigned char>(c) ^
                                 static_cast<unsigned>(static_cast<unsigned char>(token_[i])));
  }
  return differences == 0U && !token_.empty();
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) {
      return lower_case(origin.substr(scheme.size())) == lower_case(host);
    }
  }
  return false;
}

}  // namespace prescope::serve
