#include "serve/http/answers.h"

#include <fmt/format.h>
#include <boost/beast/http/status.hpp>
#include <utility>

#include "base/json_lines.h"
#include "report/text/clean_text.h"

namespace prescope::serve {

std::string to_text(const AnswerHead& head) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(head.status));
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", head.status,
                                 std::string_view(reason.data(), reason.size()));
  if (!head.content_type.empty()) text += fmt::format("Content-Type: {}\r\n", head.content_type);
  if (head.length) text += fmt::format("Content-Length: {}\r\n", *head.length);
  text += fmt::format(
      "Connection: {}\r\n"
      "Cache-Control: no-store\r\n"
      "Content-Security-Policy: {}\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n",
      head.keeps_alive ? "keep-alive" : "close", head.security_policy);
  text += head.more;
  text += "\r\n";
  return text;
}

Response error_response(unsigned status, std::string_view sentence) {
  std::string body = "{\"error\":";
  append_json_text(body, clean_text(sentence));
  body += "}\n";
  return {.status = status, .body = std::make_shared<const std::string>(std::move(body))};
}

std::string event_text(std::uint64_t id, std::string_view document) {
  std::string text = fmt::format("id: {}\nevent: summary\n", id);
  while (document.ends_with('\n')) document.remove_suffix(1);
  for (bool more = true; more;) {
    const std::size_t end = document.find_first_of("\r\n");
    more = end != std::string_view::npos;
    text += "data: ";
    text += document.substr(0, end);
    text += '\n';
    if (more) document.remove_prefix(end + 1);
  }
  text += '\n';
  return text;
}

}  // namespace prescope::serve
