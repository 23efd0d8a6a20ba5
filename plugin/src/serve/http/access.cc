#include "serve/http/access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <optional>

#include "prescope/error.h"
#include "report/text/clean_text.h"
#include "serve/http/http_server.h"

namespace prescope::serve {

namespace {

namespace ip = boost::asio::ip;
namespace http = boost::beast::http;
using boost::beast::iequals;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }
boost::beast::string_view beast_view(std::string_view text) { return {text.data(), text.size()}; }

/// "127.0.0.1", "::1"; nothing for names, zones, ports and short forms such as "127.1".
std::optional<IpAddress> parse_ip(std::string_view text) {
  // A zero would end the text for the system.
  if (text.find('%') != std::string_view::npos || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(text), error);
  return error ? std::nullopt : std::optional(to_v6(address));
}

/// ::1 and 127.0.0.0/8.
bool is_loopback(const IpAddress& address) {
  return address.is_loopback() ||
         (address.is_v4_mapped() && ip::make_address_v4(ip::v4_mapped, address).is_loopback());
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

/// The address that a Host names, if it names one.
std::optional<IpAddress> literal_of(std::string_view name) {
  if (!name.starts_with('[')) {
    return name.find(':') == std::string_view::npos ? parse_ip(name) : std::nullopt;
  }
  if (!name.ends_with(']')) return std::nullopt;
  return parse_ip(name.substr(1, name.size() - 2));
}

using Sentences = std::vector<std::string>;

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

void check_address(const DashboardOptions& options, Sentences& problems) {
  const std::optional<IpAddress> address = parse_ip(options.address);
  if (!address) {
    problems.push_back(
        fmt::format("address is '{}'; expected an IP address, such as 127.0.0.1, ::1 or 0.0.0.0",
                    one_line(options.address)));
  } else if (!is_loopback(*address) && options.token.empty()) {
    problems.push_back(
        fmt::format("address {} can be reached from other machines and there is no token; set one, "
                    "or listen at 127.0.0.1",
                    options.address));
  }
}

/// Never shows the token.
void check_token(const DashboardOptions& options, Sentences& problems) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  const std::string& token = options.token;
  if (token.empty()) return;
  if (token.size() < kLeast || token.size() > kMost) {
    problems.push_back(fmt::format(
        "the token has {} characters; expected {} to {}, such as 'openssl rand -hex 32' prints",
        token.size(), kLeast, kMost));
  }
  if (!std::ranges::all_of(token, is_visible)) {
    problems.emplace_back(
        "the token has characters that a header cannot carry; expected visible ASCII");
  }
}

void check_host(const std::string& host, Sentences& problems) {
  const bool is_name = !host.empty() && std::ranges::all_of(host, [](char c) {
    return is_visible(c) && c != ':' && c != '/' && c != '@' && c != '[' && c != ']';
  });
  if (is_name) return;
  problems.push_back(fmt::format(
      "host '{}' is no name; expected one without scheme and port, such as search.example.org",
      one_line(host)));
}

void check_range(std::string_view option, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most, Sentences& problems) {
  if (value >= least && value <= most) return;
  problems.push_back(fmt::format("{} is {}; expected {} to {}", option, value, least, most));
}

void check_interval(std::chrono::milliseconds interval, Sentences& problems) {
  constexpr std::chrono::milliseconds kLeast{250}, kMost{60'000};
  if (interval >= kLeast && interval <= kMost) return;
  problems.push_back(fmt::format("interval is {} ms; expected {} to {} ms", interval.count(),
                                 kLeast.count(), kMost.count()));
}

}  // namespace

void check(const DashboardOptions& options) {
  constexpr std::uint64_t kMostConnections = 65536;
  Sentences problems;
  check_address(options, problems);
  check_token(options, problems);
  for (const std::string& host : options.hosts) check_host(host, problems);
  check_range("connections", options.connections, 1, kMostConnections, problems);
  check_range("event_streams", options.event_streams, 1,
              std::clamp<std::uint64_t>(options.connections, 1, kMostConnections), problems);
  check_interval(options.interval, problems);
  if (!problems.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("dashboard: {}", fmt::join(problems, "; ")));
  }
}

bool is_exposed(const DashboardOptions& options) {
  const std::optional<IpAddress> address = parse_ip(options.address);
  return !address || !is_loopback(*address);
}

IpAddress to_v6(const ip::address& address) {
  return address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
}

std::string url_host(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

AccessRules::AccessRules(const DashboardOptions& options, std::size_t longest_target)
    : token_(options.token), longest_target_(longest_target), names_(options.hosts) {
  names_.emplace_back("localhost");
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
  return std::ranges::any_of(
      names_, [&](const std::string& one) { return iequals(one, beast_view(*name)); });
}

bool AccessRules::admits(std::string_view authorization) const noexcept {
  constexpr std::string_view kScheme = "bearer ";
  if (!iequals(beast_view(authorization.substr(0, kScheme.size())), beast_view(kScheme)))
    return false;
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

namespace {

/// Whether "http://host:port" or "https://host:port" is the origin of pages of this Host.
bool is_same_origin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) {
      return iequals(beast_view(origin.substr(scheme.size())), beast_view(host));
    }
  }
  return false;
}

/// The browser says which page asks; whoever is none may leave it out.
bool is_from_here(const AccessRules::RequestHeader& request) {
  const std::size_t origins = request.count(http::field::origin);
  if (origins > 1) return false;
  if (origins == 1 &&
      !is_same_origin(view(request[http::field::origin]), view(request[http::field::host]))) {
    return false;
  }
  const std::string_view site = view(request["Sec-Fetch-Site"]);
  const bool is_link = view(request["Sec-Fetch-Mode"]) == "navigate";
  return site.empty() || site == "same-origin" || site == "none" || is_link;
}

}  // namespace

bool AccessRules::may_read(const RequestHeader& request) const {
  const std::string_view target = view(request.target());
  const std::string_view path = target.substr(0, target.find('?'));
  if (token_.empty() || path == "/" || path == "/favicon.ico") return true;
  return request.count(http::field::authorization) == 1 &&
         admits(view(request[http::field::authorization]));
}

std::optional<Refused> AccessRules::refuse(const RequestHeader& request, bool has_body,
                                           const IpAddress& reached) const {
  constexpr unsigned kBadRequest = 400, kUnauthorized = 401, kForbidden = 403, kNotAllowed = 405,
                     kTooLarge = 413, kTargetTooLong = 414, kMisdirected = 421;
  if (request.count(http::field::host) != 1) {
    return Refused{Refusal::kHost, kBadRequest, "expected one Host header"};
  }
  if (!admits_host(view(request[http::field::host]), reached)) {
    return Refused{Refusal::kHost, kMisdirected,
                   "this Host is not served here; its name can be added with --host, or "
                   "DashboardOptions::hosts"};
  }
  if (!is_from_here(request)) {
    return Refused{Refusal::kOrigin, kForbidden, "pages of other origins may not read this"};
  }
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return Refused{Refusal::kMethod, kNotAllowed, "only GET and HEAD are answered"};
  }
  if (has_body) return Refused{Refusal::kBody, kTooLarge, "a request has no body here"};
  if (request.target().size() > longest_target_) {
    return Refused{Refusal::kTarget, kTargetTooLong, "the path with its query is too long"};
  }
  if (!may_read(request)) {
    return Refused{Refusal::kToken, kUnauthorized,
                   "expected the header 'Authorization: Bearer TOKEN' with the token that the "
                   "server was started with"};
  }
  return std::nullopt;
}

}  // namespace prescope::serve
