#include "serve/http/request_checks.h"

namespace prescope::serve {

namespace {

constexpr unsigned kBadRequest = 400, kUnauthorized = 401, kForbidden = 403, kNotAllowed = 405,
                   kTooLarge = 413, kTargetTooLong = 414, kMisdirected = 421;

bool is_host_admitted(const RequestHead& head, const AccessRules& rules, const IpAddress& reached) {
  return head.hosts.size() == 1 && rules.admits_host(head.hosts.front(), reached);
}

/// The browser says which page asks; whoever is none may leave it out.
bool is_from_here(const RequestHead& head) {
  if (head.origins.size() > 1) return false;
  if (head.origins.size() == 1 && !is_same_origin(head.origins.front(), head.hosts.front())) {
    return false;
  }
  const bool is_link = head.fetch_mode == "navigate";
  return head.fetch_site.empty() || head.fetch_site == "same-origin" || head.fetch_site == "none" ||
         is_link;
}

bool may_read(const RequestHead& head, const AccessRules& rules) {
  const std::string_view path = raw_path(head.target);
  if (!rules.wants_token() || path == "/" || path == "/favicon.ico") return true;
  return head.authorizations.size() == 1 && rules.admits(head.authorizations.front());
}

}  // namespace

std::string_view raw_path(std::string_view target) noexcept {
  return target.substr(0, target.find('?'));
}

std::optional<Refused> refuse(const RequestHead& head, const AccessRules& rules,
                              const IpAddress& reached, std::size_t longest_target) {
  if (head.hosts.size() != 1) {
    return Refused{Refusal::kHost, kBadRequest, "expected one Host header"};
  }
  if (!is_host_admitted(head, rules, reached)) {
    return Refused{Refusal::kHost, kMisdirected,
                   "this Host is not served here; its name can be added with --host, or "
                   "DashboardOptions::hosts"};
  }
  if (!is_from_here(head)) {
    return Refused{Refusal::kOrigin, kForbidden, "pages of other origins may not read this"};
  }
  if (head.method != "GET" && head.method != "HEAD") {
    return Refused{Refusal::kMethod, kNotAllowed, "only GET and HEAD are answered"};
  }
  if (head.has_body) return Refused{Refusal::kBody, kTooLarge, "a request has no body here"};
  if (head.target.size() > longest_target) {
    return Refused{Refusal::kTarget, kTargetTooLong, "the path with its query is too long"};
  }
  if (!may_read(head, rules)) {
    return Refused{Refusal::kToken, kUnauthorized,
                   "expected the header 'Authorization: Bearer TOKEN' with the token that the "
                   "server was started with"};
  }
  return std::nullopt;
}

}  // namespace prescope::serve
