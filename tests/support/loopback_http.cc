#include "support/loopback_http.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <stdexcept>
#include <utility>

namespace prescope {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Returns the bytes received until the other end closes, or until `is_enough`.
template <class Enough>
std::string receive(int socket, Enough is_enough) {
  std::string text;
  char buffer[4096];
  while (!is_enough(text)) {
    const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

std::string http_get(std::uint16_t port, const std::string& target) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      send_all(socket,
               fmt::format("GET {} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\n\r\n", target, port))) {
    answer = receive(socket, [](const std::string&) { return false; });
  }
  ::close(socket);
  const std::size_t head = answer.find("\r\n\r\n");
  const bool is_good = answer.starts_with("HTTP/1.") && answer.substr(9, 3) == "200";
  return is_good && head != std::string::npos ? answer.substr(head + 4) : "";
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    encoded += std::isalnum(byte) != 0 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

LoopbackServer::LoopbackServer(std::string content_type, std::function<std::string()> body)
    : content_type_(std::move(content_type)),
      body_(std::move(body)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    ::close(listener_);
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

LoopbackServer::~LoopbackServer() {
  ends_ = true;
  thread_.join();
  ::close(listener_);
}

void LoopbackServer::serve() {
  constexpr int kLookMs = 50;
  while (!ends_) {
    pollfd waits{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&waits, 1, kLookMs) <= 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void LoopbackServer::answer(int connection) const {
  const std::string request = receive(connection, [](const std::string& text) {
    return text.find("\r\n\r\n") != std::string::npos;
  });
  if (!request.starts_with("GET ")) return;
  const std::string body = body_();
  send_all(connection, fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                                   "Connection: close\r\n\r\n{}",
                                   content_type_, body.size(), body));
}

}  // namespace prescope
