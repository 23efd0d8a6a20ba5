#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "serve/http/access.h"
#include "serve/http/handler.h"

namespace prescope::serve {

/// What of a request's header decides whether it is answered. Fields in the order in which they
/// came, also those that must not be there twice.
struct RequestHead {
  std::string_view method, target;
  std::vector<std::string_view> hosts{}, origins{}, authorizations{};
  std::string_view fetch_site{}, fetch_mode{};  ///< Sec-Fetch-*, which browsers send
  bool has_body = false;
};

struct Refused {
  Refusal why = Refusal::kMalformed;
  unsigned status = 400;
  std::string_view sentence{};  ///< for who asked
};

/// The first reason not to answer, if any. The page itself, "/", holds no data and needs no token:
/// a browser sends none where somebody types an address.
[[nodiscard]] std::optional<Refused> refuse(const RequestHead& head, const AccessRules& rules,
                                            const IpAddress& reached, std::size_t longest_target);

/// The path of a target, as it was sent.
[[nodiscard]] std::string_view raw_path(std::string_view target) noexcept;

}  // namespace prescope::serve
