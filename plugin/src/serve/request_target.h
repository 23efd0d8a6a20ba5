#pragma once

#include <optional>
#include <string_view>

#include "serve/handler.h"

namespace prescope::serve {

/// "/api/topics?search=%C3%A4" decoded: %XX everywhere, + as a blank in the query only. Nothing for
/// what is not decoded without doubt: a target that does not begin with '/', a broken escape, a
/// control character, bytes that are no UTF-8, a '#', and a path with a segment "." or "..", which
/// a client should have resolved. "%2F" is a character of its segment: "/api/topic/..%2Fx" is the
/// topic "../x".
[[nodiscard]] std::optional<Request> decode_target(std::string_view target);

}  // namespace prescope::serve
