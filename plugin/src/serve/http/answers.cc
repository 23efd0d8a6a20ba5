#include "serve/http/answers.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

#include "base/json_lines.h"
#include "report/text/clean_text.h"

namespace prescope::serve {

namespace {

std::string_view reason_of(unsigned status) {
  static constexpr std::array<std::pair<unsigned, std::string_view>, 15> kReasons = {{
      {200, "OK"},
      {204, "No Content"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {409, "Conflict"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {421, "Misdirected Request"},
      {422, "Unprocessable Content"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {503, "Service Unavailable"},
  }};
  const auto* const found =
      std::ranges::find(kReasons, status, &std::pair<unsigned, std::string_view>::first);
  return found == kReasons.end() ? "Other" : found->second;
}

}  // namespace

std::string to_text(const AnswerHead& head) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", head.status, reason_of(head.status));
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
