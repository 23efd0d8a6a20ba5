#include "support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace prescope {
namespace {

constexpr std::string_view kEmptyLine = "\r\n\r\n";

/// Accepts "http://127.0.0.1:8080/" and "http://[::1]:8080/".
void connect_to(int socket, const std::string& url) {
  const auto port = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
  int failed = 0;
  if (url.find('[') == std::string::npos) {
    const sockaddr_in at{.sin_family = AF_INET,
                         .sin_port = htons(port),
                         .sin_addr = {htonl(INADDR_LOOPBACK)},
                         .sin_zero = {}};
    failed = ::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  } else {
    sockaddr_in6 at{};
    at.sin6_family = AF_INET6;
    at.sin6_port = htons(port);
    at.sin6_addr = in6addr_loopback;
    failed = ::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  }
  if (failed == 0) return;
  const int why = errno;
  ::close(socket);
  throw std::system_error(why, std::generic_category(), url);
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpAnswer parse_head(std::string_view head) {
  constexpr std::string_view kVersion = "HTTP/1.x ";
  HttpAnswer answer;
  if (!head.starts_with("HTTP/1.")) return answer;
  answer.status = static_cast<unsigned>(std::atoi(head.data() + kVersion.size()));
  while (true) {
    head.remove_prefix(std::min(head.size(), head.find("\r\n") + 2));
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return answer;
    answer.fields[lower_case(std::string(line.substr(0, colon)))] = line.substr(colon + 2);
  }
}

}  // namespace

std::uint16_t free_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool is_bound =
      ::bind(listener, any, size) == 0 && ::getsockname(listener, any, &size) == 0;
  ::close(listener);
  if (!is_bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

HttpClient::HttpClient(const std::string& url, int receive_buffer)
    : socket_(::socket(url.find('[') == std::string::npos ? AF_INET : AF_INET6,
                       SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (socket_ < 0) throw std::system_error(errno, std::generic_category(), "socket");
  const timeval patience{.tv_sec = 30, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  connect_to(socket_, url);
}

HttpClient::~HttpClient() { ::close(socket_); }

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void HttpClient::end_sending() { ::shutdown(socket_, SHUT_WR); }

bool HttpClient::read_more() {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  read_.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

std::string HttpClient::read_to(std::string_view mark) {
  std::size_t at = 0;
  while ((at = read_.find(mark)) == std::string::npos) {
    if (!read_more()) return std::exchange(read_, {});
  }
  const std::string text = read_.substr(0, at + mark.size());
  read_.erase(0, text.size());
  return text;
}

std::string HttpClient::read_to_end() {
  while (read_more()) {
  }
  return std::exchange(read_, {});
}

HttpAnswer HttpClient::read_answer(std::string_view method) {
  HttpAnswer answer = parse_head(read_to(kEmptyLine));
  if (method == "HEAD" || answer.status == 204) return answer;
  const auto length = answer.fields.find("content-length");
  if (length == answer.fields.end()) {
    answer.body = read_to_end();
    return answer;
  }
  const auto bytes = static_cast<std::size_t>(std::atoll(length->second.c_str()));
  while (read_.size() < bytes && read_more()) {
  }
  answer.body = read_.substr(0, bytes);
  read_.erase(0, answer.body.size());
  return answer;
}

std::string get_request(std::string_view target, const std::vector<std::string>& lines) {
  std::string request = "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string& line : lines) request += line + "\r\n";
  return request + "\r\n";
}

HttpAnswer get(const std::string& url, std::string_view target,
               const std::vector<std::string>& lines) {
  return answer_to(url, get_request(target, lines));
}

HttpAnswer answer_to(const std::string& url, std::string_view bytes) {
  HttpClient client(url);
  client.send(bytes);
  return client.read_answer();
}

}  // namespace prescope
