#include "serve/http/handler.h"

namespace prescope::serve {

std::span<const std::string_view, kRefusals> refusal_names() noexcept {
  static constexpr std::array<std::string_view, kRefusals> kNames = {
      "malformed", "header",      "target",  "body",         "method",      "host", "origin",
      "token",     "connections", "streams", "slow_request", "slow_reader", "busy"};
  return kNames;
}

}  // namespace prescope::serve
