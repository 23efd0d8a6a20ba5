#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/handler.h"

namespace prescope::serve {

/// What stands before an answer's body.
struct AnswerHead {
  unsigned status = 200;
  std::string_view content_type{};
  std::optional<std::size_t> length{};  ///< nothing: until the connection ends
  std::string_view security_policy = "default-src 'none'; frame-ancestors 'none'";
  std::string_view more{};  ///< further header lines, each with its line end
  bool keeps_alive = false;
};

/// From the status line to the empty line. Every answer forbids to be stored, guessed at, framed,
/// and read by pages of other origins.
[[nodiscard]] std::string to_text(const AnswerHead& head);

/// {"error": "sentence"}; what is no UTF-8 becomes U+FFFD.
[[nodiscard]] Response error_response(unsigned status, std::string_view sentence);

/// An event of an event stream, with the document's lines, usually one, as its data.
[[nodiscard]] std::string event_text(std::uint64_t id, std::string_view document);
/// What begins an event stream: when to come again once it ends.
inline constexpr std::string_view kEventsBegin = "retry: 2000\n\n";
inline constexpr std::string_view kHeartbeat = ": still here\n\n";

}  // namespace prescope::serve
