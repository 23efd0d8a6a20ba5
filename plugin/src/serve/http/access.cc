#include "serve/http/access.h"

#include <boost/beast/core/string.hpp>

#include "base/text_file.h"
#include "live/option_checks.h"
#include "report/text/visible_text.h"
#include "serve/http/http_server.h"

namespace prescope::serve {

namespace {

namespace ip = boost::asio::ip;
namespace http = boost::beast::http;
using boost::beast::iequals;

/// Reads "127.0.0.1" and "::1"; returns std::nullopt for names, zones, ports and short forms such
/// as "127.1".
std::optional<IpAddress> parse_ip(std::string_view text) {
  // A zero byte would end the text for the system call.
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
  return !text.empty() && text.size() <= kMostDigits && std::ranges::all_of(text, is_digit);
}

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

/// Never shows the token.
void check_address_and_token(const DashboardOptions& options, OptionChecks& problems) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  const std::optional<IpAddress> address = parse_ip(options.address);
  const std::string& token = options.token;
  if (!address) {
    problems.add(
        fmt::format("address is '{}'; expected an IP address, such as 127.0.0.1, ::1 or 0.0.0.0",
                    one_line(options.address)));
  } else if (!is_loopback(*address) && token.empty()) {
    problems.add(
        fmt::format("address {} can be reached from other machines and there is no token; give one "
                    "(the program: --token-file), or listen at 127.0.0.1",
                    options.address));
  }
  if (!token.empty() && (token.size() < kLeast || token.size() > kMost)) {
    problems.add(fmt::format(
        "the token has {} characters; expected {} to {}, such as 'openssl rand -hex 32' prints",
        token.size(), kLeast, kMost));
  }
  if (!std::ranges::all_of(token, is_visible)) {
    problems.add("the token has characters that a header cannot carry; expected visible ASCII");
  }
}

void check_host(const std::string& host, OptionChecks& problems) {
  if (!host.empty() && std::ranges::all_of(host, is_visible) &&
      host.find_first_of(":/@[]") == std::string::npos) {
    return;
  }
  problems.add(fmt::format(
      "host '{}' is no name; expected one without scheme and port, such as search.example.org",
      one_line(host)));
}

std::string_view path_of(const AccessRules::RequestHeader& request) {
  const std::string_view target = request.target();
  return target.substr(0, target.find('?'));
}

/// Returns true if "http://host:port" or "https://host:port" is the origin of pages of this Host.
bool is_same_origin(std::string_view origin, std::string_view host) {
  return std::ranges::any_of(std::array{"http://", "https://"}, [&](std::string_view scheme) {
    return origin.starts_with(scheme) && iequals(origin.substr(scheme.size()), host);
  });
}

/// Browsers name the page that asks; other clients may leave it out. A link on another site may
/// open the page itself, as a document of its own: no frame, and no document that costs work.
bool is_from_here(const AccessRules::RequestHeader& request) {
  const std::size_t origins = request.count(http::field::origin);
  if (origins > 1) return false;
  if (origins == 1 && !is_same_origin(request[http::field::origin], request[http::field::host])) {
    return false;
  }
  const std::string_view site = request["Sec-Fetch-Site"];
  const bool is_link = request["Sec-Fetch-Mode"] == "navigate" &&
                       request["Sec-Fetch-Dest"] == "document" && path_of(request) == "/";
  return site.empty() || site == "same-origin" || site == "none" || is_link;
}

}  // namespace

void check(const DashboardOptions& options) {
  constexpr std::size_t kMostConnections = 65536;
  OptionChecks problems;
  check_address_and_token(options, problems);
  for (const std::string& host : options.hosts) check_host(host, problems);
  problems.check_range<std::size_t>("connections", options.connections, 1, kMostConnections);
  problems.check_range<std::size_t>(
      "event_streams", options.event_streams, 1,
      std::clamp<std::size_t>(options.connections, 1, kMostConnections));
  problems.check_milliseconds("interval", options.interval, 250, 60'000);
  problems.refuse_any("dashboard");
}

bool is_exposed(const DashboardOptions& options) {
  const std::optional<IpAddress> address = parse_ip(options.address);
  return !address || !is_loopback(*address);
}

IpAddress to_v6(const ip::address& address) {
  return address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
}

AccessRules::AccessRules(const DashboardOptions& options, std::size_t longest_target)
    : token_(options.token), longest_target_(longest_target), names_(options.hosts) {
  names_.emplace_back("localhost");
  for (const std::string& address :
       {options.address, std::string("127.0.0.1"), std::string("::1")}) {
    if (const auto parsed = parse_ip(address)) addresses_.push_back(*parsed);
  }
}

bool AccessRules::admits_host(std::string_view host, const IpAddress& reached) const {
  // "name", "name:80", "[::1]" or "[::1]:80".
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos) return false;
  const std::size_t colon = std::min(host.find(':', bracket), host.size());
  const std::string_view name = host.substr(0, colon), port = host.substr(colon);
  if (!port.empty() && !is_port(port.substr(1))) return false;
  const bool is_bracketed = name.starts_with('[') && name.ends_with(']');
  if (const auto address = parse_ip(is_bracketed ? name.substr(1, name.size() - 2) : name)) {
    return *address == reached || std::ranges::count(addresses_, *address) > 0;
  }
  return std::ranges::any_of(names_, [&](const std::string& one) { return iequals(one, name); });
}

bool AccessRules::admits(std::string_view authorization) const noexcept {
  constexpr std::string_view kScheme = "bearer ";
  if (!iequals(authorization.substr(0, kScheme.size()), kScheme)) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  // Compares every byte, also after a difference, so that the time taken reveals nothing.
  volatile unsigned differences = given.size() == token_.size() ? 0U : 1U;
  for (std::size_t i = 0; i < token_.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    differences = differences | (static_cast<unsigned char>(c) ^
                                 static_cast<unsigned>(static_cast<unsigned char>(token_[i])));
  }
  return differences == 0U && !token_.empty();
}

bool AccessRules::may_read(const RequestHeader& request) const {
  const std::string_view path = path_of(request);
  if (token_.empty() || path == "/" || path == "/favicon.ico") return true;
  return request.count(http::field::authorization) == 1 &&
         admits(request[http::field::authorization]);
}

std::optional<Refused> AccessRules::refuse(const RequestHeader& request, const Body& body,
                                           const IpAddress& reached) const {
  if (request.count(http::field::host) != 1) {
    return Refused{Refusal::kHost, 400, "expected one Host header"};
  }
  if (!admits_host(request[http::field::host], reached)) {
    return Refused{Refusal::kHost, 421,
                   "this Host is not served here; its name can be added (the program: --host)"};
  }
  if (!is_from_here(request)) {
    return Refused{Refusal::kOrigin, 403, "pages of other origins may not read this"};
  }
  const bool is_get = request.method() == http::verb::get || request.method() == http::verb::head;
  const bool is_post = request.method() == http::verb::post && body.longest > 0;
  if (!is_get && !is_post) {
    return Refused{Refusal::kMethod, 405,
                   body.longest > 0 ? "only GET, HEAD and POST are answered"
                                    : "only GET and HEAD are answered"};
  }
  if (is_get && body.is_there) {
    return Refused{Refusal::kBody, 413, "a request has no body here"};
  }
  if (body.bytes > body.longest) {
    return Refused{Refusal::kBody, 413, "the body is too long; send fewer lines at a time"};
  }
  if (request.target().size() > longest_target_) {
    return Refused{Refusal::kTarget, 414, "the path with its query is too long"};
  }
  if (!may_read(request)) {
    return Refused{Refusal::kToken, 401,
                   "expected the header 'Authorization: Bearer TOKEN' with the token that the "
                   "server was started with"};
  }
  return std::nullopt;
}

}  // namespace prescope::serve
